import { whenKnown, type Awaitable } from '../foundation/awaitable.ts';
import { spendersOf, toPayer } from '../limits/budgets.ts';
import type { Hold } from '../limits/ledger.ts';
import type { BatchRepository, BatchRow, StoredBatch } from '../stores/batches.ts';

/** What budgets hold for lines that are with providers, when a process starts. */
export function findBatchHolds(batches: BatchRepository): Awaitable<readonly Hold[]> {
  return whenKnown(batches.list(), toHolds);
}

function toHolds(rows: readonly BatchRow[]): readonly Hold[] {
  const owners = new Map<string, StoredBatch['owner']>();
  for (const row of rows) if (row.kind === 'batch') owners.set(row.id, row.owner);
  const done = new Set<string | null>();
  for (const row of rows) if (row.kind === 'result') done.add(row.generationId);
  return rows.flatMap((row) => {
    const owner = row.kind === 'submission' && row.state === 'sent' ? owners.get(row.batchId) : undefined;
    if (row.kind !== 'submission' || owner === undefined) return [];
    const spenders = spendersOf(toPayer({ kind: 'api', ...owner }));
    return row.lines.flatMap(({ generationId, hold }) =>
      hold === null || done.has(generationId) ? [] : [{ id: generationId, spenders, ...hold }],
    );
  });
}
