import type { GenerationRecord, Store } from '@model-gateway/core';

/** How far a copy is, of about how many. */
export type OnProgress = (done: number, total: number) => void;

const PAGE = 500;
/** Contents that are in memory before they are written: each may have megabytes. */
const READ_AT_ONCE = 10;
/** Enough for a store that writes in large batches, and far below what one without a journal lets wait. */
const WRITTEN_AT_ONCE = { count: 2000, size: 32 * 1024 * 1024 };

type Generations = Store['generations'];

interface GenerationCopy {
  readonly from: Generations;
  readonly to: Generations;
  /** Which of these generations, oldest first, the target has. Others that it has are refused by it, at more cost. */
  readonly findKnown: (records: readonly GenerationRecord[]) => Promise<ReadonlySet<string>>;
  /** Leaves out what began earlier, in Unix milliseconds, unless the target has it: it would drop it. */
  readonly sinceMs?: number | undefined;
  /**
   * Resolves once the target has written all that it has let wait. Asked where it did not write a record in time: what came
   * after that would wait, too, until the target leaves out contents.
   */
  readonly whenWritten?: (() => Promise<void>) | undefined;
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
  whenWritten = () => Promise.resolve(),
  onProgress,
  onShared,
}: GenerationCopy): Promise<number> {
  const { total, spans } = await listSpans(from);
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
  for (const span of spans.toReversed()) {
    const records = (await readSpan(from, span)).toReversed();
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
          const isWritten = await put(to, record, content);
          if (!isWritten) await whenWritten();
          share(record, true);
        });
      }
    }
  }
  await inFlight.end();
  onProgress(done, total);
  return shared;
}

/** Whether the target has written the record; otherwise it knows of it, and may let it wait. */
async function put(to: Generations, record: GenerationRecord, content: Parameters<Generations['append']>[1]) {
  try {
    await to.append(record, content);
    return true;
  } catch (error) {
    if ((await to.get(record.generation.id)) === undefined) throw error;
    return false;
  }
}

/**
 * What was on a page when pages were counted, by ids. Generations that are added meanwhile, some with an earlier
 * beginning than the newest, move the ends of pages, but not those of spans.
 */
interface Span {
  /** The last before it; undefined where it was the first page. */
  readonly before: string | undefined;
  /** The newest on it. */
  readonly first: string | undefined;
  /** The oldest on it; null where no more followed. */
  readonly last: string | null;
}

/** The pages that there are, the newest first, and how many generations are on them. */
async function listSpans(from: Generations) {
  const spans: Span[] = [];
  let total = 0;
  let before: string | undefined;
  for (;;) {
    const { records, next } = await from.page({ limit: PAGE, before });
    if (records.length > 0) spans.push({ before, first: records[0]?.generation.id, last: next });
    total += records.length;
    if (next === null) return { total, spans };
    before = next;
  }
}

/** Reads a span, newest first. */
async function readSpan(from: Generations, { before, first, last }: Span): Promise<GenerationRecord[]> {
  const found: GenerationRecord[] = [];
  // What is newer than the newest page was is left to the next copy.
  let hasBegun = before !== undefined;
  let at = before;
  for (;;) {
    const { records, next } = await from.page({ limit: PAGE, before: at });
    for (const record of records) {
      const { id } = record.generation;
      hasBegun ||= id === first;
      if (hasBegun) found.push(record);
      if (id === last) return found;
    }
    if (next === null) return found;
    at = next;
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

/** Work that runs in parallel, within a limit. */
interface InFlight {
  /** Begins one as soon as there is room; resolves when it has begun. Rejects once one has failed. */
  add(size: number, run: () => Promise<void>): Promise<void>;
  /** Resolves when all are done; rejects when one has failed. */
  end(): Promise<void>;
}

/** For one caller that waits for each `add`. What is larger than all of the room is done alone. */
export function createInFlight(room: { readonly count: number; readonly size: number }): InFlight {
  let count = 0;
  let size = 0;
  let failure: { readonly error: unknown } | undefined;
  let onDone = (): void => undefined;
  const next = (): Promise<void> => new Promise((resolve) => (onDone = resolve));
  const check = (): void => {
    if (failure !== undefined) throw failure.error;
  };
  return {
    async add(added, run) {
      while (count > 0 && (count >= room.count || size + added > room.size)) await next();
      check();
      count += 1;
      size += added;
      void run()
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => {
          count -= 1;
          size -= added;
          onDone();
        });
    },
    async end() {
      while (count > 0) await next();
      check();
    },
  };
}
