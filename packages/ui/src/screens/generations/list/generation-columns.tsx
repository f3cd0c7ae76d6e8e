import { Pin } from 'lucide-react';

import { formatUsd } from '../../../format/money.ts';
import { formatCompact, formatDuration } from '../../../format/quantity.ts';
import { formatFull, formatMoment } from '../../../format/time.ts';
import type { Column } from '../../../parts/table/table-row.tsx';
import { toFirstTokenMs } from '../first-token.ts';
import { StatusBadge } from '../generation-status.tsx';
import type { ListRow } from './list-row.ts';

/** Cost of the generation; an unknown price is not shown as zero. */
export function Cost({ generation }: { generation: Pick<ListRow, 'cost_known' | 'total_cost'> }) {
  return generation.cost_known ? (
    formatUsd(generation.total_cost)
  ) : (
    <span title="No price is known for the model">unknown</span>
  );
}

export const GENERATION_COLUMNS: readonly Column<ListRow>[] = [
  {
    id: 'time',
    sort: 'time',
    header: 'Time',
    width: '136px',
    cell: ({ created_at: at }) => (
      <time dateTime={at} title={formatFull(at)} className="figures text-ink-soft">
        {formatMoment(at)}
      </time>
    ),
  },
  {
    id: 'status',
    sort: 'status',
    header: 'Status',
    width: '92px',
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  {
    id: 'model',
    sort: 'model',
    header: 'Model',
    width: 'minmax(150px,2fr)',
    cell: ({ model }) => <span className="font-medium">{model}</span>,
  },
  {
    id: 'provider',
    sort: 'provider',
    header: 'Provider',
    width: 'minmax(90px,1fr)',
    cell: ({ provider_name: name, attempts }) => (
      <>
        {name ?? '—'}
        {attempts > 1 && <span className="ml-1 text-ink-faint">×{attempts}</span>}
      </>
    ),
  },
  {
    id: 'finish',
    header: 'Finish',
    width: '104px',
    cell: ({ finish_reason: reason, streamed }) => (
      <span className="text-ink-soft" title={streamed === true ? 'streamed' : 'in one piece'}>
        {reason ?? '—'}
      </span>
    ),
  },
  {
    id: 'in',
    sort: 'tokens_in',
    header: 'In',
    width: '64px',
    isNumeric: true,
    cell: (row) => formatCompact(row.tokens_prompt),
  },
  {
    id: 'out',
    sort: 'tokens_out',
    header: 'Out',
    width: '64px',
    isNumeric: true,
    cell: (row) => formatCompact(row.tokens_completion),
  },
  {
    id: 'cost',
    sort: 'cost',
    header: 'Cost',
    width: '104px',
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
    id: 'origin',
    header: 'Origin',
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

/** The columns with a mark at what is pinned. */
export function markPins(pins: readonly string[]): readonly Column<ListRow>[] {
  const pinned = new Set(pins);
  return GENERATION_COLUMNS.map((column) =>
    column.id === 'model'
      ? {
          ...column,
          cell: (row) => (
            <>
              {pinned.has(row.id) && (
                <>
                  <Pin size={13} aria-hidden className="mr-1 inline text-accent" />
                  <span className="sr-only">pinned </span>
                </>
              )}
              {column.cell(row)}
            </>
          ),
        }
      : column,
  );
}

/** Left out while a generation is open beside the list, which has them. */
export const HIDDEN_BESIDE: readonly string[] = ['finish', 'in', 'out', 'ttft', 'provider', 'origin', 'user'];
