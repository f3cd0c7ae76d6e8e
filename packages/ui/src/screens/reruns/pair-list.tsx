import type { RerunCompletion, RerunPair } from '@model-gateway/core/wire';
import { useInfiniteQuery } from '@tanstack/react-query';
import { User } from 'lucide-react';
import { useMemo } from 'react';

import { formatUsdInColumn } from '../../format/money.ts';
import { formatCount, formatDuration } from '../../format/quantity.ts';
import { Badge } from '../../parts/badge.tsx';
import { classNames } from '../../parts/class-names.ts';
import { FilterSelect } from '../../parts/controls/select.tsx';
import { Loaded } from '../../parts/messages/loaded.tsx';
import { MoreNotLoaded } from '../../parts/messages/more-not-loaded.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import type { Column } from '../../parts/table/table-row.tsx';
import { useInfiniteRows } from '../../parts/table/use-infinite-rows.ts';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { rerunsMessages } from './messages.ts';
import { toCompletionText } from './pair-text.ts';
import { type RerunReport, rerunPairsQuery } from './rerun-queries.ts';
import { toTargetName, VerdictBadge } from './rerun-state.tsx';

interface PairListProps {
  readonly rerun: RerunReport;
  /** The place of the target whose pairs are listed. */
  readonly target: string | undefined;
  readonly onTarget: (target: string | undefined) => void;
  readonly openItem: string | undefined;
  readonly onOpen: (item: string) => void;
}

/** So many have room in the page; more scroll in the table. */
const FEW_ROWS = 12;

/** Each call with what the original and the target said of it, loaded as one goes down. */
export function PairList({ rerun, target, onTarget, openItem, onOpen }: PairListProps) {
  const { pairs: t } = rerunsMessages();
  const options = rerunPairsQuery(rerun.id, target);
  const query = useInfiniteQuery(options);
  const { rows, loadMore, moreError } = useInfiniteRows(query, options.queryKey);
  const { targets } = rerun;
  const columns = useMemo(() => toColumns(targets), [targets]);
  return (
    <section aria-label={t.title} className="card flex min-w-0 flex-col">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
        <h2 className="flex-1 text-base font-semibold">{t.title}</h2>
        {targets.length > 1 && (
          <FilterSelect
            label={t.ofModel}
            any={t.allModels}
            value={target}
            options={targets.map((one, at) => [String(at), toTargetName(one)] as const)}
            onChange={onTarget}
          />
        )}
      </div>
      <Loaded what={t.what} failure={t.notLoaded} query={query} data={rows}>
        {(loaded) =>
          loaded.length === 0 ? (
            <EmptyState title={t.none} />
          ) : (
            <>
              <MoreNotLoaded what={t.what} failure={t.moreNotLoaded} error={moreError} query={query} />
              <div className={classNames('flex flex-col', loaded.length > FEW_ROWS && 'h-[70dvh]')}>
                <VirtualTable
                  label={t.title}
                  rows={loaded}
                  columns={columns}
                  idOf={({ item }) => item}
                  total={query.data?.pages[0]?.total_count}
                  openId={openItem}
                  onOpen={({ item }) => onOpen(item)}
                  onEndReached={loadMore}
                />
              </div>
            </>
          )
        }
      </Loaded>
    </section>
  );
}

function toColumns(targets: RerunReport['targets']): readonly Column<RerunPair>[] {
  const { pairs: t } = rerunsMessages();
  return [
    {
      id: 'place',
      leaves: 1,
      header: t.place,
      width: '52px',
      isNumeric: true,
      cell: ({ item }) => <span className="text-ink-faint">{formatCount(toPlace(item) + 1)}</span>,
    },
    ...(targets.length > 1
      ? [
          {
            id: 'model',
            header: rerunsMessages().page.model,
            width: 'minmax(110px,1fr)',
            narrow: { width: 'minmax(80px,1fr)' },
            cell: ({ target }: RerunPair) => (
              <span className="font-mono text-xs" title={toTargetName(targets[target] ?? { model: '' })}>
                {toTargetName(targets[target] ?? { model: '' })}
              </span>
            ),
          },
        ]
      : []),
    {
      id: 'original',
      leaves: 4,
      header: t.original,
      width: 'minmax(140px,2fr)',
      cell: ({ original }) => <Beginning completion={original} />,
    },
    {
      id: 'completion',
      header: t.completion,
      width: 'minmax(140px,2fr)',
      narrow: { width: 'minmax(90px,2fr)' },
      cell: (pair) => (pair.state === 'done' ? <Beginning completion={pair.completion} /> : <State pair={pair} />),
    },
    {
      id: 'verdict',
      header: t.verdict,
      width: '112px',
      narrow: { width: '92px' },
      cell: ({ verdict, person }) =>
        verdict === null ? (
          <span className="text-ink-faint">{t.noVerdict}</span>
        ) : (
          <span className="inline-flex items-center gap-1">
            <VerdictBadge verdict={verdict} />
            {person !== null && <User size={14} aria-label={t.mine} className="text-ink-faint" />}
          </span>
        ),
    },
    {
      id: 'cost',
      leaves: 3,
      header: t.cost,
      width: '96px',
      isNumeric: true,
      cell: ({ cost_usd: cost }) => formatUsdInColumn(cost),
    },
    {
      id: 'latency',
      leaves: 2,
      header: t.latency,
      width: '84px',
      isNumeric: true,
      cell: ({ latency_ms: latency }) => formatDuration(latency),
    },
  ];
}

/** The place in the set of an item, by its name `00003-1`. */
export const toPlace = (item: string): number => Number.parseInt(item, 10);

/** Longer than any cell. */
const MAX_SHOWN = 300;

function Beginning({ completion }: { completion: RerunCompletion | null }) {
  const { pairs: t } = rerunsMessages();
  const text = completion === null ? t.gone : toCompletionText(completion).trim();
  if (completion === null || text === '') return <span className="text-ink-faint">{text || t.emptyText}</span>;
  return showControls(text.slice(0, MAX_SHOWN).replaceAll(/\s+/g, ' '));
}

function State({ pair: { state, reason } }: { pair: RerunPair }) {
  const { pairs: t } = rerunsMessages();
  if (state !== 'failed') return <span className="text-ink-faint">{t.states[state]}</span>;
  return (
    <span title={showControls(reason ?? '')}>
      <Badge tone="bad">{t.states.failed}</Badge> {showControls(reason ?? '')}
    </span>
  );
}
