import type { GenerationHistogram } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';

import type { GenerationSearch, Grouping } from '../../../features/generations/search/generation-search.ts';
import { isSameYear } from '../../../format/days.ts';
import { toUsdColumn } from '../../../format/money.ts';
import { formatCompact, formatCount, formatDuration } from '../../../format/quantity.ts';
import { timeFormats } from '../../../format/time.ts';
import { Loaded } from '../../../parts/messages/loaded.tsx';
import type { Column, TableSort } from '../../../parts/table/table-row.tsx';
import { VirtualTable } from '../../../parts/table/virtual-table.tsx';
import { type DayCount, daysQuery } from '../search/day-counts.ts';
import type { ChangeSearch } from '../search/filter-bar.tsx';
import { groupsQuery } from '../search/generation-counts.ts';
import { generationsMessages } from './messages.ts';
import { NoGenerations } from './no-generations.tsx';

type Figures = GenerationHistogram['totals'];

interface Group extends Pick<Figures, 'requests' | 'failed' | 'cost' | 'first_token_p50' | 'tokens_per_second_p50'> {
  readonly id: string;
  readonly name: string;
  /** What leaves its requests alone in the list; null where no filter can say that. */
  readonly change: Parameters<ChangeSearch>[0] | null;
}

interface GroupTableProps {
  readonly search: GenerationSearch;
  readonly grouping: Grouping;
  readonly onChange: ChangeSearch;
}

/** The requests added up by a property, in place of the list of them; a click on a group lists its requests. */
export function GroupTable({ search, grouping, onChange }: GroupTableProps) {
  const t = generationsMessages();
  const [sort, setSort] = useState<TableSort>({ by: grouping === 'day' ? 'name' : 'cost', order: 'desc' });
  const { query, groups } = useGroups(search, grouping, sort.by === 'requests' ? 'requests' : 'cost');
  const rows = useMemo(() => groups && sortGroups(groups, sort), [groups, sort]);
  return (
    <Loaded what={t.what} failure={t.failure} query={query} data={rows}>
      {(shown) =>
        shown.length === 0 ? (
          <NoGenerations search={search} isStopped={false} onChange={onChange} />
        ) : (
          <VirtualTable
            label={t.group.by[grouping]}
            rows={shown}
            columns={toColumns(grouping, shown)}
            idOf={idOf}
            isRecycled
            onOpen={({ change }) => change !== null && onChange({ ...change, group: undefined })}
            sort={sort}
            onSort={setSort}
          />
        )
      }
    </Loaded>
  );
}

/** The query of the groups, and the groups once they are counted. */
function useGroups(search: GenerationSearch, grouping: Grouping, rank: 'requests' | 'cost') {
  const isByDay = grouping === 'day';
  const days = useQuery({ ...daysQuery(search), enabled: isByDay });
  const values = useQuery({ ...groupsQuery(search, isByDay ? 'model' : grouping, rank), enabled: !isByDay });
  const groups = useMemo(
    () => (isByDay ? days.data && toDays(days.data) : values.data && toGroups(values.data, grouping)),
    [isByDay, days.data, values.data, grouping],
  );
  return { query: isByDay ? days : values, groups };
}

const idOf = ({ id }: Group): string => id;

function toColumns(grouping: Grouping, rows: readonly Group[]): readonly Column<Group>[] {
  const t = generationsMessages().group;
  const writeUsd = toUsdColumn(rows.map(({ cost }) => cost));
  return [
    {
      id: 'name',
      header: t.heads[grouping],
      width: 'minmax(120px,1fr)',
      ...(grouping === 'day' && { sort: 'name' }),
      cell: ({ name, change }) => (
        <span className={change === null ? 'text-ink-faint' : 'font-medium'} title={name}>
          {name}
        </span>
      ),
    },
    {
      id: 'requests',
      sort: 'requests',
      header: t.requests,
      width: '110px',
      narrow: { width: '68px' },
      isNumeric: true,
      cell: ({ requests }) => formatCount(requests),
    },
    {
      id: 'failed',
      header: t.failed,
      width: '120px',
      isNumeric: true,
      leaves: 2,
      cell: ({ failed }) =>
        failed === 0 ? (
          <span className="text-ink-faint">0</span>
        ) : (
          <span className="text-bad">{formatCount(failed)}</span>
        ),
    },
    {
      id: 'firstToken',
      header: t.firstToken,
      width: '130px',
      isNumeric: true,
      leaves: 1,
      cell: ({ first_token_p50: ms }) => formatDuration(ms),
    },
    {
      id: 'speed',
      header: t.speed,
      width: '120px',
      isNumeric: true,
      leaves: 0,
      cell: ({ tokens_per_second_p50: speed }) => (speed === null ? '—' : formatCompact(Math.round(speed))),
    },
    {
      id: 'cost',
      sort: 'cost',
      header: t.cost,
      width: '120px',
      narrow: { width: '96px' },
      isNumeric: true,
      cell: ({ cost }) => writeUsd(cost),
    },
  ];
}

/** Stands for requests without a value, in filters as in the address. */
const NONE = 'none';

function toGroups(histogram: GenerationHistogram, grouping: Exclude<Grouping, 'day'>): readonly Group[] {
  const t = generationsMessages().group;
  const groups = (histogram.split ?? []).map(({ value, name, totals }): Group => ({
    ...totals,
    id: `value ${value ?? ''}`,
    name: name ?? (value === null ? t.nothing[grouping] : grouping === 'key' ? `${value.slice(0, 8)}…` : value),
    change: isSayable(grouping, value) ? { [grouping]: value ?? NONE } : null,
  }));
  const { other } = histogram;
  if (other == null) return groups;
  return [
    ...groups,
    { ...other.totals, id: 'others', name: t.others(other.values, formatCount(other.values)), change: null },
  ];
}

/** A comma separates values in all filters but that of sessions. */
const isSayable = (grouping: Grouping, value: string | null): boolean =>
  grouping === 'session' || value?.includes(',') !== true;

function toDays(days: readonly DayCount[]): readonly Group[] {
  const { weekday, weekdayOfYear } = timeFormats();
  const now = new Date();
  const toIso = (ms: number): string => new Date(ms).toISOString();
  return days
    .filter(({ requests }) => requests > 0)
    .map(({ startMs, fromMs, toMs, ...figures }): Group => ({
      ...figures,
      id: toIso(startMs),
      name: (isSameYear(new Date(startMs), now) ? weekday : weekdayOfYear).format(startMs),
      change: { range: undefined, from: toIso(fromMs), to: toIso(toMs) },
    }));
}

/** Sorted; what was added up of all others comes last. */
function sortGroups(groups: readonly Group[], { by, order }: TableSort): readonly Group[] {
  const sign = order === 'asc' ? 1 : -1;
  const compare = (a: Group, b: Group): number => {
    if (a.change === null || b.change === null) return a.change === null ? 1 : -1;
    if (by === 'name') return sign * (a.id < b.id ? -1 : 1);
    return sign * (by === 'requests' ? a.requests - b.requests : a.cost - b.cost);
  };
  return groups.toSorted(compare);
}
