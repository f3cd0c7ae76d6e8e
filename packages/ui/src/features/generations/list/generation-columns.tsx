import { Pin, Shuffle } from 'lucide-react';

import { formatUsd } from '../../../format/money.ts';
import { formatCompact, formatDuration } from '../../../format/quantity.ts';
import { formatMoment, formatShortMoment } from '../../../format/time.ts';
import type { Column } from '../../../parts/table/table-row.tsx';
import { Moment } from '../../../parts/text/moment.tsx';
import { StatusBadge } from './generation-status.tsx';
import { type ListRow, toFirstTokenMs, toSpeed } from './list-row.ts';

/** Cost of the generation; an unknown price is not shown as zero. */
export function Cost({ generation }: { generation: Pick<ListRow, 'cost_known' | 'total_cost'> }) {
  return generation.cost_known ? (
    formatUsd(generation.total_cost)
  ) : (
    <span title="The model has no known price">unknown</span>
  );
}

export const GENERATION_COLUMNS: readonly Column<ListRow>[] = [
  {
    id: 'time',
    sort: 'time',
    header: 'Time',
    width: '128px',
    cell: ({ created_at: at }) => (
      <Moment at={at} className="figures text-ink-soft">
        {formatMoment(at)}
      </Moment>
    ),
    narrow: {
      width: '60px',
      cell: ({ created_at: at }) => (
        <Moment at={at} className="figures text-ink-soft">
          {formatShortMoment(at)}
        </Moment>
      ),
    },
  },
  {
    id: 'status',
    sort: 'status',
    header: 'Status',
    width: '84px',
    narrow: { width: '78px' },
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  {
    id: 'model',
    sort: 'model',
    header: 'Model',
    width: 'minmax(130px,2fr)',
    narrow: {
      width: 'minmax(66px,2fr)',
      cell: ({ model }) => (
        <span className="font-medium" title={model}>
          {model.slice(model.indexOf('/') + 1)}
        </span>
      ),
    },
    cell: ({ model }) => <span className="font-medium">{model}</span>,
  },
  {
    id: 'prompt',
    header: 'Prompt',
    width: 'minmax(140px,3fr)',
    cell: ({ prompt_preview: preview }) => (
      <span className="text-ink-soft" title={preview ?? 'Not stored'}>
        {preview ?? '—'}
      </span>
    ),
  },
  {
    id: 'provider',
    sort: 'provider',
    header: 'Provider',
    width: 'minmax(80px,1fr)',
    cell: ({ provider_name: name }) => name ?? '—',
  },
  {
    id: 'attempts',
    sort: 'attempts',
    header: 'Attempts',
    width: '96px',
    isNumeric: true,
    cell: ({ attempts }) => <Attempts count={attempts} />,
  },
  {
    id: 'finish',
    header: 'Finish',
    width: '104px',
    cell: ({ finish_reason: reason, streamed }) => (
      <span className="text-ink-soft" title={streamed === true ? 'streamed' : 'not streamed'}>
        {reason ?? '—'}
      </span>
    ),
  },
  {
    id: 'in',
    sort: 'tokens_in',
    header: 'In',
    width: '56px',
    isNumeric: true,
    cell: (row) => formatCompact(row.tokens_prompt),
  },
  {
    id: 'out',
    sort: 'tokens_out',
    header: 'Out',
    width: '56px',
    isNumeric: true,
    cell: (row) => formatCompact(row.tokens_completion),
  },
  {
    id: 'cost',
    sort: 'cost',
    header: 'Cost',
    width: '104px',
    narrow: { width: '90px' },
    isNumeric: true,
    cell: (row) => <Cost generation={row} />,
  },
  {
    id: 'ttft',
    sort: 'latency',
    header: 'First token',
    width: '96px',
    isNumeric: true,
    cell: (row) => formatDuration(toFirstTokenMs(row)),
  },
  {
    id: 'duration',
    sort: 'duration',
    header: 'Duration',
    width: '96px',
    isNumeric: true,
    cell: (row) => formatDuration(row.generation_time),
  },
  {
    id: 'speed',
    sort: 'speed',
    header: 'Tokens/s',
    width: '84px',
    isNumeric: true,
    cell: (row) => {
      const speed = toSpeed(row);
      return speed === null ? '—' : formatCompact(Math.round(speed));
    },
  },
  { id: 'key', header: 'Key', width: 'minmax(80px,1fr)', cell: ({ key_hash: hash }) => <KeyName hash={hash} /> },
  {
    id: 'origin',
    header: 'App',
    width: 'minmax(80px,1fr)',
    cell: (row) => <span className="text-ink-soft">{row.origin || '—'}</span>,
  },
  {
    id: 'user',
    header: 'User',
    width: 'minmax(80px,1fr)',
    cell: (row) => <span className="text-ink-soft">{row.external_user ?? '—'}</span>,
  },
];

/** The name of a key; of one that has none any more, the beginning of its hash. */
function KeyName({ hash, name }: { hash: string; name?: string | undefined }) {
  return (
    <span className="text-ink-soft" title={hash}>
      {name ?? `${hash.slice(0, 8)}…`}
    </span>
  );
}

/** How many endpoints were asked; a fallback is marked. */
function Attempts({ count }: { count: number }) {
  if (count < 2) return <span className="text-ink-faint">{count === 0 ? '—' : count}</span>;
  return (
    <span className="inline-flex items-center gap-1 align-bottom text-ink" title={`Fell back: ${count} attempts`}>
      <Shuffle size={13} />
      {count} attempts
    </span>
  );
}

/** The columns with a mark at what is pinned, and the names of keys by their hashes. */
export function toColumns(
  pins: readonly string[],
  keyNames: Readonly<Record<string, string>>,
): readonly Column<ListRow>[] {
  const pinned = new Set(pins);
  const withPin = (cell: Column<ListRow>['cell']) => (row: ListRow) => (
    <>
      {pinned.has(row.id) && (
        <>
          <Pin size={13} className="mr-1 inline text-accent" />
          <span className="sr-only">pinned </span>
        </>
      )}
      {cell(row)}
    </>
  );
  return GENERATION_COLUMNS.map((column) => {
    if (column.id === 'key')
      return { ...column, cell: ({ key_hash: hash }) => <KeyName hash={hash} name={keyNames[hash]} /> };
    if (column.id !== 'model') return column;
    const { cell, narrow } = column;
    return {
      ...column,
      cell: withPin(cell),
      ...(narrow !== undefined && { narrow: { ...narrow, cell: withPin(narrow.cell ?? cell) } }),
    };
  });
}

/** Left out where there is no room for them, the first of these first. */
export const LEAVING: readonly string[] = ['attempts', 'in', 'provider', 'out', 'ttft', 'prompt'];

/** The same beside an open generation, which has them all. */
export const LEAVING_BESIDE: readonly string[] = ['origin', 'user', 'finish', 'key', 'speed', 'duration', ...LEAVING];
