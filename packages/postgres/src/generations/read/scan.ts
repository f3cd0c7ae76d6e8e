import type { ScannedGeneration, ScanQuery } from '@model-gateway/core';

import { isWithin } from './filter-sql.ts';
import { toScanned } from './generation-row.ts';
import { listRows, type TimePlace } from './list-rows.ts';
import type { ReadParts } from './read-parts.ts';

const LIMIT_MS = 5000;
const ROWS = 1000;

/** Shows all that began within a span, newest first, page by page: no transaction stays open meanwhile. */
export async function scanGenerations(
  { fromMs, toMs }: ScanQuery,
  look: (generation: ScannedGeneration) => void,
  { snapshot }: ReadParts,
): Promise<void> {
  const where = isWithin(fromMs, toMs);
  let after: TimePlace | undefined;
  for (;;) {
    const rows = await snapshot(LIMIT_MS, (read) => listRows(read, { where, after, limit: ROWS }));
    for (const row of rows) look(toScanned(row));
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS) return;
    after = { createdAtMs: last.created_at_ms, id: last.id };
  }
}
