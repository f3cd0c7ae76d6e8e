import { memo } from 'react';

import { formatCount, formatDuration } from '../../../format/quantity.ts';
import { Badge } from '../../../parts/badge.tsx';
import type { Column } from '../../../parts/table/table-row.tsx';
import { VirtualTable } from '../../../parts/table/virtual-table.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import type { Arrival } from './to-arrivals.ts';

/** A line shows the beginning of its piece. */
const MAX_SHOWN_CHARACTERS = 200;

const COLUMNS: readonly Column<Arrival>[] = [
  { id: 'at', header: 'At', width: '72px', isNumeric: true, cell: ({ atMs }) => formatDuration(atMs) },
  {
    id: 'gap',
    header: 'Gap',
    width: '132px',
    isNumeric: true,
    cell: ({ gapMs, index, isLongestGap }) => (
      <>
        {isLongestGap && <Badge tone="caution">longest</Badge>} {index === 0 && <Badge>first</Badge>}{' '}
        {formatDuration(gapMs)}
      </>
    ),
  },
  {
    id: 'characters',
    header: 'Characters',
    width: '76px',
    isNumeric: true,
    cell: ({ text, reasoning, ending }) => (ending === null ? formatCount(text.length + reasoning.length) : ''),
  },
  { id: 'text', header: 'Text', width: 'minmax(140px,1fr)', cell: (arrival) => <Piece arrival={arrival} /> },
];

const idOf = ({ index }: Arrival): string => String(index);

interface ArrivalTableProps {
  readonly arrivals: readonly Arrival[];
  /** The last that had come at the moment that is shown. */
  readonly at: number;
  readonly onSeek: (arrival: Arrival) => void;
}

/** The pieces of a completion; opening one goes to its moment. Drawn anew only when another one has come. */
export const ArrivalTable = memo(function ArrivalTable({ arrivals, at, onSeek }: ArrivalTableProps) {
  return (
    <VirtualTable
      label="Pieces of the answer"
      rows={arrivals}
      columns={COLUMNS}
      idOf={idOf}
      onOpen={onSeek}
      openId={String(at)}
      isRecycled
    />
  );
});

function Piece({ arrival: { text, reasoning, ending } }: { arrival: Arrival }) {
  if (ending !== null) return <span className="text-ink-faint">{ending}</span>;
  return (
    <span className="font-mono text-xs whitespace-pre">
      {reasoning !== '' && <span className="text-ink-faint">{toLine(reasoning)}</span>}
      {toLine(text)}
    </span>
  );
}

/** On one line; what would not be seen there is. */
function toLine(text: string): string {
  return showControls(text.slice(0, MAX_SHOWN_CHARACTERS)).replaceAll(/\r?\n/g, '↵').replaceAll('\t', '⇥');
}
