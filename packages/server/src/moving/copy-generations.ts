import type { GenerationRecord, Store } from '@model-gateway/core';

import { createInFlight } from './in-flight.ts';

/** How far a copy is, of about how many. */
export type OnProgress = (done: number, total: number) => void;

const PAGE = 500;
/** Contents that are in memory before they are written: each may have megabytes. */
const READ_AT_ONCE = 10;
/** Enough for a store that writes in large batches, and far below what one without a journal lets wait. */
const WRITTEN_AT_ONCE = { count: 2000, size: 32 * 1024 * 1024 };

type Generations = Store['generations'];

export interface GenerationCopy {
  readonly from: Generations;
  readonly to: Generations;
  /** Which of these generations, oldest first, the target has. Others that it has are refused by it, at more cost. */
  readonly findKnown: (records: readonly GenerationRecord[]) => Promise<ReadonlySet<string>>;
  /** Leaves out what began earlier, in Unix milliseconds, unless the target has it: it would drop it. */
  readonly sinceMs?: number | undefined;
  readonly onProgress: OnProgress;
  /** Told of each that both have now, and whether it was copied this time. */
  readonly onShared: (record: GenerationRecord, isNew: boolean) => void;
}

/**
 * Copies generations with their contents, oldest first. One that the target has already stays as it is there. Resolves
 * with how many both have.
 */
export async function copyGenerations({
  from,
  to,
  findKnown,
  sinceMs = 0,
  onProgress,
  onShared,
}: GenerationCopy): Promise<number> {
  const { total, places } = await listPages(from);
  const inFlight = createInFlight(WRITTEN_AT_ONCE);
  let [done, shared] = [0, 0];
  const look = (): void => {
    done += 1;
    if (done % PAGE === 0) onProgress(done, total);
  };
  const share = (record: GenerationRecord, isNew: boolean): void => {
    onShared(record, isNew);
    shared += 1;
    look();
  };
  onProgress(0, total);
  for (const before of places.toReversed()) {
    const records = (await from.page({ limit: PAGE, before })).records.toReversed();
    const known = await findKnown(records);
    const missing: GenerationRecord[] = [];
    for (const record of records) {
      if (known.has(record.generation.id)) share(record, false);
      else if (beganAt(record) >= sinceMs) missing.push(record);
      else look();
    }
    for (let at = 0; at < missing.length; at += READ_AT_ONCE) {
      const group = missing.slice(at, at + READ_AT_ONCE);
      const contents = await Promise.all(group.map(async ({ generation }) => from.getContent(generation.id)));
      // What began later is appended later: lists are in that order.
      for (const [index, record] of group.entries()) {
        const content = contents[index] ?? null;
        await inFlight.add(lengthOf(content), async () => {
          await put(to, record, content);
          share(record, true);
        });
      }
    }
  }
  await inFlight.end();
  onProgress(done, total);
  return shared;
}

async function put(to: Generations, record: GenerationRecord, content: Parameters<Generations['append']>[1]) {
  try {
    await to.append(record, content);
  } catch (error) {
    if ((await to.get(record.generation.id)) === undefined) throw error;
  }
}

/** After which generations pages begin, the newest first, and how many generations there are on them. */
async function listPages(from: Generations) {
  const places: (string | undefined)[] = [];
  let total = 0;
  let before: string | undefined;
  for (;;) {
    const { records, next } = await from.page({ limit: PAGE, before });
    if (records.length > 0) places.push(before);
    total += records.length;
    if (next === null) return { total, places };
    before = next;
  }
}

const beganAt = ({ generation }: GenerationRecord): number => Date.parse(generation.created_at);

/** In JSON these take up to six characters. */
const ESCAPED = /[\p{Cc}\p{Surrogate}"\\]/u;

/** Characters of all texts in a value, as JSON. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return ESCAPED.test(value) ? JSON.stringify(value).length : value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let length = 0;
  for (const part of Object.values(value)) length += lengthOf(part);
  return length;
}
