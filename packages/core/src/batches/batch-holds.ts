import { whenKnown, type Awaitable } from '../foundation/awaitable.ts';
import { spendersOf } from '../limits/budgets.ts';
import type { Hold } from '../limits/ledger.ts';
import type { BatchRepository, BatchRow } from '../stores/batches.ts';

/** What budgets hold for lines that are with providers, when a process starts. */
export function findBatchHolds(batches: BatchRepository): Awaitable<readonly Hold[]> {
  return whenKnown(batches.list(), toHolds);
}

function toHolds(rows: readonly BatchRow[]): readonly Hold[] {
  const done = new Set<string | null>();
  for (const row of rows) if (row.kind === 'result') done.add(row.generationId);
  return rows.flatMap((row) => {
    if (row.kind !== 'submission' || row.state === 'ended') return [];
    const spenders = spendersOf(row.payer);
    return row.lines.flatMap(({ generationId, hold }) =>
      hold === null || done.has(generationId) ? [] : [{ id: generationId, spenders, ...hold }],
    );
  });
}
