import type { Catalog } from '../../catalog/catalog.ts';
import type { Logger } from '../../foundation/host.ts';
import { type BoundedQueue, createBoundedQueue } from '../../foundation/queues.ts';
import type { GenerationRecord } from '../../stores/generations.ts';
import type { CacheCause } from '../../wire/cache-report.ts';
import type { CacheDoctorParts, ExaminedCache } from './report-caches.ts';

/** Sums over the calls with one cause since the start. */
export interface CacheCauseFigures {
  calls: number;
  missedTokens: number;
  missedUsd: number;
}

/** Examines calls after they have ended; no call waits for it. */
export interface CacheExaminer {
  /** Takes up a call that has been recorded, to be examined when those before it are. */
  note(record: GenerationRecord): void;
  /** The result for a call, which is examined now unless it has been. */
  examine(record: GenerationRecord): Promise<ExaminedCache>;
  list(): Iterable<readonly [CacheCause, CacheCauseFigures]>;
  /** Calls that were passed over, as too many waited. */
  skipped(): number;
}

interface ExaminerParts extends Pick<CacheDoctorParts, 'store'> {
  readonly catalog: () => Pick<Catalog, 'list'>;
  readonly platform: CacheDoctorParts['platform'] & Parameters<typeof createBoundedQueue>[0];
  readonly logger: Logger;
}

/** Beyond so many that wait, calls are passed over: sums then show too little, and memory stays bounded. */
const MAX_WAITING = 1000;
/** Results that are kept for destinations, which ask soon after a call has ended. */
const MAX_KEPT = 2000;

/** Creates the examiner. It looks at one call after the other, and lets others have their turn after each. */
export function createCacheExaminer(parts: ExaminerParts): CacheExaminer {
  const queue: BoundedQueue = createBoundedQueue(parts.platform, 1);
  const kept = new Map<string, Promise<ExaminedCache>>();
  const figures = new Map<CacheCause, CacheCauseFigures>();
  let waiting = 0;
  let skipped = 0;

  const examine = (record: GenerationRecord): Promise<ExaminedCache> => {
    const { id } = record.generation;
    const known = kept.get(id);
    if (known !== undefined) return known;
    const examining = import('./report-caches.ts').then(({ examineCall, toFindPrices }) =>
      examineCall(record, { ...parts, findPrices: toFindPrices(parts.catalog()) }),
    );
    kept.set(id, examining);
    // What failed is tried again by the next who asks.
    examining.catch(() => kept.delete(id));
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return examining;
  };

  const add = ({ cause, missedTokens, missedUsd }: ExaminedCache): void => {
    const sum = figures.get(cause) ?? { calls: 0, missedTokens: 0, missedUsd: 0 };
    figures.set(cause, sum);
    sum.calls += 1;
    sum.missedTokens += missedTokens;
    sum.missedUsd += missedUsd ?? 0;
  };

  const fail = (record: GenerationRecord, error: unknown): void => {
    skipped += 1;
    parts.logger.warn('the cache of a call could not be examined', { id: record.generation.id, reason: String(error) });
  };

  return {
    note(record) {
      if (waiting >= MAX_WAITING) {
        skipped += 1;
        return;
      }
      waiting += 1;
      const work = (): Promise<void> =>
        examine(record)
          .then(add, (error: unknown) => fail(record, error))
          .finally(() => (waiting -= 1));
      queue.run(work, 1);
    },
    examine,
    list: () => [...figures].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    skipped: () => skipped,
  };
}
