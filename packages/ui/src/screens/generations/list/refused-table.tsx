import type { RefusalBody } from '@model-gateway/core/wire';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { useMemo } from 'react';

import { callApi } from '../../../api/call-api.ts';
import { allKeysQuery, refreshEvery } from '../../../api/queries.ts';
import { toAppName } from '../../../features/generations/list/list-row.ts';
import { formatMoment, formatShortMoment } from '../../../format/time.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/controls/button.tsx';
import { FilterSelect } from '../../../parts/controls/select.tsx';
import { Loaded } from '../../../parts/messages/loaded.tsx';
import { EmptyState } from '../../../parts/messages/states.tsx';
import type { Column } from '../../../parts/table/table-row.tsx';
import { VirtualTable } from '../../../parts/table/virtual-table.tsx';
import { Moment } from '../../../parts/text/moment.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { generationsMessages } from './messages.ts';

const REFRESH_MS = 5000;

interface Refusal extends RefusalBody {
  readonly id: string;
}

const refusedQuery = queryOptions({
  queryKey: ['refused'],
  refetchInterval: refreshEvery(REFRESH_MS),
  queryFn: async ({ signal }): Promise<readonly Refusal[]> => {
    const { data } = await callApi<{ data: readonly RefusalBody[] }>('/admin/v1/refusals', { signal });
    return data.map((refusal, at) => ({ ...refusal, id: `${refusal.at} ${data.length - at}` }));
  },
});

interface RefusedTableProps {
  /** The only model whose requests are shown. */
  readonly model: string | undefined;
  readonly onModel: (model: string | undefined) => void;
}

/** The latest requests that were refused before they became calls, and why: a wrong key, a limit, an unknown model. */
export function RefusedTable({ model, onModel }: RefusedTableProps) {
  const t = generationsMessages().refused;
  const query = useQuery(refusedQuery);
  const models = useMemo(() => [...new Set(query.data?.flatMap((row) => row.model ?? []))].toSorted(), [query.data]);
  const { data: keys } = useQuery(allKeysQuery);
  const names = useMemo(() => new Map(keys?.map(({ hash, name }) => [hash, name])), [keys]);
  const columns = useMemo(() => toColumns(names), [names]);
  return (
    <Loaded what={t.what} failure={t.failure} query={query} data={query.data}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyState icon={<ShieldCheck size={22} />} title={t.none} />
        ) : (
          <>
            {(models.length > 1 || model !== undefined) && (
              <div className="border-b border-line px-4 py-2">
                <FilterSelect
                  label={t.heads.model}
                  any={t.allModels}
                  value={model}
                  options={model === undefined || models.includes(model) ? models : [...models, model]}
                  onChange={onModel}
                />
              </div>
            )}
            {model === undefined || models.includes(model) ? (
              <VirtualTable
                label={t.title}
                rows={model === undefined ? rows : rows.filter((row) => row.model === model)}
                columns={columns}
                idOf={idOf}
                onOpen={() => undefined}
              />
            ) : (
              <EmptyState title={t.noneOfModel}>
                <Button onClick={() => onModel(undefined)}>{t.allModels}</Button>
              </EmptyState>
            )}
          </>
        )
      }
    </Loaded>
  );
}

const idOf = ({ id }: Refusal): string => id;

function toColumns(names: ReadonlyMap<string, string>): readonly Column<Refusal>[] {
  const t = generationsMessages().refused;
  return [
    {
      id: 'time',
      header: t.heads.time,
      width: '104px',
      cell: ({ at }) => (
        <Moment at={at} className="figures text-ink-soft">
          {formatMoment(at)}
        </Moment>
      ),
      narrow: {
        width: '58px',
        cell: ({ at }) => (
          <Moment at={at} className="figures text-ink-soft">
            {formatShortMoment(at)}
          </Moment>
        ),
      },
    },
    {
      id: 'status',
      header: t.heads.status,
      width: '56px',
      narrow: { width: '44px' },
      cell: ({ status, error_type: type }) => (
        <Badge tone={status === 429 ? 'caution' : 'bad'} title={type}>
          {status}
        </Badge>
      ),
    },
    {
      id: 'message',
      header: t.heads.message,
      width: 'minmax(160px,2fr)',
      narrow: { width: 'minmax(120px,2fr)' },
      cell: ({ message }) => <span title={message}>{showControls(message)}</span>,
    },
    {
      id: 'model',
      header: t.heads.model,
      width: 'minmax(110px,0.7fr)',
      leaves: 3,
      cell: ({ model }) =>
        model === null ? (
          <span className="text-ink-faint">—</span>
        ) : (
          <span className="font-mono text-xs text-ink-soft" title={model}>
            {showControls(model)}
          </span>
        ),
    },
    {
      id: 'key',
      header: t.heads.key,
      width: 'minmax(110px,0.6fr)',
      leaves: 2,
      cell: ({ key_hash: hash }) =>
        hash === null ? (
          <span className="text-ink-faint">{t.noKey}</span>
        ) : (
          <span className="text-ink-soft" title={hash}>
            {names.get(hash) ?? `${hash.slice(0, 8)}…`}
          </span>
        ),
    },
    {
      id: 'app',
      header: t.heads.app,
      width: 'minmax(90px,0.5fr)',
      leaves: 1,
      cell: ({ user_agent: agent }) => (
        <span className="text-ink-soft" title={agent ?? undefined}>
          {showControls(toAppName({ origin: '', user_agent: agent }) ?? '—')}
        </span>
      ),
    },
    {
      id: 'path',
      header: t.heads.path,
      width: 'minmax(150px,0.8fr)',
      leaves: 0,
      cell: ({ method, path }) => (
        <span className="font-mono text-xs text-ink-soft" title={path}>
          {method} {showControls(path)}
        </span>
      ),
    },
  ];
}
