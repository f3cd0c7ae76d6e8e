import type { BatchRow } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';

import { ApiError } from '../../api/api-error.ts';
import { formatUsdInColumn } from '../../format/money.ts';
import { classNames } from '../../parts/class-names.ts';
import { NotLoaded } from '../../parts/messages/loaded.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { isOpen, resultsQuery } from './batch-queries.ts';
import type { LineResult } from './batch-results.ts';
import { batchesMessages } from './messages.tsx';

/** How the requests of a batch are named in their records. */
const APP = 'model-gateway-batch';
const ROW_PX = 36;

/** What became of each line: those that failed first. */
export function BatchLines({ batch }: { batch: BatchRow }) {
  const { lines: t } = batchesMessages();
  return (
    <section aria-label={t.title} className="flex flex-col gap-2">
      <div className="flex items-baseline justify-between gap-2">
        <h3 className="text-sm font-semibold">{t.title}</h3>
        <Link
          to="/generations"
          search={{ app: APP, key: batch.key_hash, from: new Date(batch.created_at * 1000).toISOString() }}
          className="text-sm text-accent underline"
        >
          {t.soFar}
        </Link>
      </div>
      {isOpen(batch) ? <p className="text-sm text-ink-faint">{t.later}</p> : <Results batch={batch} />}
    </section>
  );
}

function Results({ batch }: { batch: BatchRow }) {
  const { lines: t } = batchesMessages();
  const query = useQuery(resultsQuery(batch));
  const { data, error } = query;
  if (error instanceof ApiError && error.status === 404) return <p className="text-sm text-ink-faint">{t.gone}</p>;
  if (data === undefined) return <NotLoaded what={t.what} query={query} isFlush />;
  if (data.rows.length === 0) return <p className="text-sm text-ink-faint">{t.none}</p>;
  return (
    <>
      {data.isCut && <p className="text-xs text-ink-faint">{t.cut}</p>}
      <LineTable rows={data.rows} />
    </>
  );
}

const TRACKS = 'grid grid-cols-[minmax(5rem,2fr)_minmax(4.5rem,3fr)_6rem_4.5rem] items-center gap-3 px-3';

function LineTable({ rows }: { rows: readonly LineResult[] }) {
  const { lines: t } = batchesMessages();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 6,
  });
  return (
    <div
      role="table"
      aria-label={t.label}
      aria-rowcount={rows.length + 1}
      className="rounded-lg border border-line text-sm"
    >
      <div role="row" className={`${TRACKS} h-8 border-b border-line text-xs text-ink-faint`}>
        <span role="columnheader">{t.id}</span>
        <span role="columnheader">{t.status}</span>
        <span role="columnheader" className="text-right">
          {t.cost}
        </span>
        <span role="columnheader">{t.generation}</span>
      </div>
      <div
        ref={scroller}
        role="rowgroup"
        tabIndex={0}
        aria-label={t.label}
        className="scroll-thin max-h-96 overflow-y-auto"
      >
        <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => (
            <LineRow key={index} row={rows[index]} index={index} top={start} />
          ))}
        </div>
      </div>
    </div>
  );
}

function LineRow({ row, index, top }: { row: LineResult | undefined; index: number; top: number }) {
  const { lines: t } = batchesMessages();
  if (row === undefined) return null;
  const { customId, status, error, costUsd, generationId } = row;
  const text = [status ?? t.notMade, error].filter((part) => part !== null && part !== '').join(' · ');
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      style={{ height: ROW_PX, transform: `translateY(${top}px)` }}
      className={`${TRACKS} absolute inset-x-0 top-0 border-b border-line/70`}
    >
      <span role="cell" className="truncate font-mono text-xs" title={customId}>
        {showControls(customId)}
      </span>
      <span role="cell" className={classNames('truncate', error !== null && 'text-bad')} title={text}>
        {showControls(text)}
      </span>
      <span role="cell" className="figures text-right">
        {formatUsdInColumn(costUsd)}
      </span>
      <span role="cell">
        {generationId !== null && (
          <Link
            to="/generations/$id"
            params={{ id: generationId }}
            aria-label={`${t.open}: ${customId}`}
            className="text-accent underline"
          >
            {t.open}
          </Link>
        )}
      </span>
    </div>
  );
}
