import type { GenerationHistogram } from '@model-gateway/core/wire';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { Plug, Plus, RotateCw } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { refreshEvery } from '../../api/queries.ts';
import { getDesktop, getDesktopInfo, useDesktopInfo } from '../../app/desktop.ts';
import { useShortcut } from '../../app/shortcuts.ts';
import { useTask } from '../../app/tasks.ts';
import { fixtureStateQuery } from '../../features/fixtures/fixture-queries.ts';
import {
  ListBody,
  ListScreen,
  SearchField,
  type SearchChange,
  useSearchChange,
} from '../../features/list-screen/list-screen.tsx';
import { sortRows } from '../../features/list-screen/sort-rows.ts';
import { filterProviders } from '../../features/providers/filter-providers.ts';
import { providerMessages } from '../../features/providers/messages.ts';
import { joinProviders, providerStatesQuery } from '../../features/providers/provider-queries.ts';
import { ROW_STATUSES } from '../../features/providers/provider-states.tsx';
import { AddProvider } from '../../features/providers/setup/add-provider.tsx';
import { providerSetupsQuery } from '../../features/providers/setup/setup-queries.ts';
import { formatCount } from '../../format/quantity.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { FilterSelect } from '../../parts/controls/select.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import { useOutcome } from '../../parts/messages/toast-store.ts';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { beginOfSpan, providerHistoriesQuery } from './history/history-queries.ts';
import { providersMessages } from './messages.ts';
import { type ListedProvider, PROVIDER_VALUES, toProviderColumns } from './provider-columns.tsx';
import { ProviderPanel } from './provider-panel.tsx';
import type { ProviderSearch } from './provider-search.ts';

export function ProvidersScreen() {
  const t = providersMessages().list;
  const search = useSearch({ from: '/providers' });
  const change = useSearchChange<ProviderSearch>('/providers');
  const [isAdding, setIsAdding] = useState(false);
  useTask('add-provider', () => setIsAdding(true));
  const { query, providers, isEditable } = useProviders();
  const opened = providers?.find(({ slug }) => slug === search.open);
  const { sort, order = sort === 'name' ? 'asc' : 'desc' } = search;
  const found = providers && filterProviders(providers, search);
  const rows = found && sortRows(found, sort && { by: sort, order }, PROVIDER_VALUES);
  return (
    <ListScreen
      title={t.title}
      actions={
        <>
          <Button icon={<RotateCw size={14} />} isBusy={query.isFetching} onClick={() => void query.refetch()}>
            {t.refresh}
          </Button>
          {isEditable && (
            <Button look="primary" icon={<Plus size={15} />} onClick={() => setIsAdding(true)}>
              {t.add}
            </Button>
          )}
        </>
      }
      filters={<Filters search={search} onChange={change} />}
      opened={
        <>
          {isAdding && (
            <AddProvider
              onClose={() => setIsAdding(false)}
              onSaved={(slug) => {
                setIsAdding(false);
                change({ open: slug, q: undefined, status: undefined });
              }}
            />
          )}
          {opened !== undefined && (
            <ProviderPanel
              key={opened.slug}
              row={opened}
              isEditable={isEditable}
              onClose={() => change({ open: undefined })}
            />
          )}
        </>
      }
    >
      <ListBody
        what={t.what}
        failure={t.failure}
        query={query}
        rows={rows}
        empty={
          providers?.length === 0 ? (
            <NoProviders isEditable={isEditable} />
          ) : (
            <NoneFits
              count={providers?.length}
              status={search.status}
              onClear={() => change({ q: undefined, status: undefined })}
            />
          )
        }
      >
        {(shown) => <ProviderTable rows={shown} search={search} onChange={change} />}
      </ListBody>
    </ListScreen>
  );
}

/** The output speed of each provider over the hours of its history, by its name. */
const speedsQuery = queryOptions({
  queryKey: ['provider-speeds'],
  refetchInterval: refreshEvery(30_000),
  async queryFn({ signal }): Promise<ReadonlyMap<string, number>> {
    const from = new Date(beginOfSpan('day', new Date())).toISOString();
    const query = { from, buckets: 1, split: 'provider', parts: 100 };
    const { split = [] } = await callApi<GenerationHistogram>('/admin/v1/generations/histogram', { query, signal });
    return new Map(
      split.flatMap(({ value, totals: { tokens_per_second_p50: speed } }) =>
        value === null || speed === null ? [] : [[value, speed] as const],
      ),
    );
  },
});

function useProviders() {
  const query = useQuery(providerStatesQuery);
  const { data: setups } = useQuery(providerSetupsQuery);
  const { data: pasts } = useQuery(providerHistoriesQuery);
  const { data: speeds } = useQuery(speedsQuery);
  const providers = useMemo(
    () =>
      query.data &&
      joinProviders(query.data, setups?.data ?? [], pasts).map((row): ListedProvider => ({
        ...row,
        speed: speeds?.get(row.name) ?? null,
      })),
    [query.data, setups, pasts, speeds],
  );
  return { query, providers, isEditable: setups?.editable === true };
}

interface ProviderTableProps {
  readonly rows: readonly ListedProvider[];
  readonly search: ProviderSearch;
  readonly onChange: (change: SearchChange<ProviderSearch>) => void;
}

const idOf = ({ slug }: ListedProvider): string => slug;

function ProviderTable({ rows, search, onChange }: ProviderTableProps) {
  const t = providersMessages();
  const navigate = useNavigateWithin('/providers');
  // Made anew for another language, which has other texts.
  const columns = useMemo(() => toProviderColumns(rows), [rows, t]);
  const { sort, order = sort === 'name' ? 'asc' : 'desc', open } = search;
  return (
    <VirtualTable
      label={t.list.title}
      rows={rows}
      columns={columns}
      idOf={idOf}
      sort={sort && { by: sort, order }}
      onSort={(next) => onChange({ sort: next.by, order: next.order })}
      openId={open}
      onOpen={({ slug }) => onChange({ open: slug })}
      onEnter={({ slug }) => void navigate({ to: '/providers/$slug', params: { slug } })}
    />
  );
}

function NoProviders({ isEditable }: { isEditable: boolean }) {
  const t = providersMessages().list;
  return (
    <EmptyState icon={<Plug size={22} />} title={t.none}>
      <p>{isEditable ? t.addFirst : t.addInFile}</p>
    </EmptyState>
  );
}

interface NoneFitsProps {
  readonly count: number | undefined;
  readonly status: string | undefined;
  readonly onClear: () => void;
}

function NoneFits({ count, status, onClear }: NoneFitsProps) {
  const t = providersMessages().list;
  const known = ROW_STATUSES.find((one) => one === status);
  return (
    <EmptyState title={t.noneMatch}>
      <p>
        {known === undefined
          ? t.noneOf(formatCount(count))
          : t.noneOfStatus(formatCount(count), providerMessages().status[known])}
      </p>
      <Button onClick={onClear}>{t.clear}</Button>
    </EmptyState>
  );
}

interface FiltersProps {
  readonly search: ProviderSearch;
  readonly onChange: (change: SearchChange<ProviderSearch>) => void;
}

function Filters({ search, onChange }: FiltersProps) {
  const t = providersMessages().list;
  const words = providerMessages().status;
  const input = useRef<HTMLInputElement>(null);
  useShortcut({ keys: '/', label: t.shortcut, group: t.group }, () => input.current?.focus());
  return (
    <div role="search" className="flex flex-wrap items-center gap-2">
      <SearchField
        ref={input}
        label={t.filter}
        placeholder={t.filterHint}
        value={search.q}
        onChange={(q) => onChange({ q })}
      />
      <FilterSelect
        label={t.status}
        any={t.anyStatus}
        value={search.status}
        options={ROW_STATUSES.map((status) => [status, words[status]] as const)}
        onChange={(status) => onChange({ status })}
      />
      {getDesktopInfo() !== null && (
        <Link to="/settings" search={{ section: 'desktop' }} className="text-sm text-accent underline">
          {t.desktopKeys}
        </Link>
      )}
      <DemoNote />
    </div>
  );
}

/** What `model-gateway serve --demo` prints as the way on. */
const WITHOUT_DEMO = 'npx model-gateway serve --no-demo';

/** Says in a demo that takes no providers how to get to one's own. */
function DemoNote() {
  const t = providersMessages().list;
  const { data: setups } = useQuery(providerSetupsQuery);
  const { data: fixtures } = useQuery(fixtureStateQuery);
  const isDemo = fixtures?.mode === 'replay' && !fixtures.saves;
  const desktop = useDesktopInfo();
  const { ask, isBusy } = useOutcome();
  if (setups?.editable !== false || !isDemo) return null;
  if (desktop !== null) {
    return (
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-ink-soft">
        {t.demoNoteOfApp}
        <Button isBusy={isBusy} onClick={() => void ask(getDesktop()?.changeSettings({ demo: false }))}>
          {t.leaveDemo}
        </Button>
      </p>
    );
  }
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-xs text-ink-soft">
      {t.demoNote}
      <code className="font-mono">{WITHOUT_DEMO}</code>
      <CopyButton text={WITHOUT_DEMO} label={t.copyCommand} isIcon />
    </p>
  );
}
