import type { GenerationRepository, SpendingBook } from '@model-gateway/core';

import { errorReason } from '../files/file-system.ts';
import type { GenerationEntry } from '../generation-index/generation-entry.ts';
import type { GenerationIndex } from '../generation-index/generation-index.ts';
import { startWarming } from '../generation-index/warm-facts.ts';
import type { CarriedForward } from '../journal/generation-lines.ts';
import { addOperation, type Journal, openJournal } from '../journal/journal.ts';
import type { OpenSegmentsOptions } from '../journal/open-segments.ts';
import { isThrough, nextSegment, type SegmentName } from '../journal/segment-name.ts';
import type { SegmentStart } from '../journal/segment.ts';
import type { RetentionClock } from '../retention-clock.ts';
import { startRetention } from './apply-retention.ts';
import { compactSegment } from './compaction.ts';
import { type ContentReader, createContentReader } from './content-reader.ts';
import { commit, createEncoder, type Operation } from './generation-operations.ts';
import { currentContentFile, loadGenerations, type LoadOptions } from './load-generations.ts';
import { type RetentionLimits, segmentLimits } from './retention.ts';
import { settleLostContent } from './settle-lost-content.ts';

/** Parts that the log requires. `logsPath` exists and belongs to this process. */
export interface GenerationLogOptions extends LoadOptions {
  readonly setTimer: OpenSegmentsOptions['setTimer'];
  readonly limits: RetentionLimits;
  /** Milliseconds on a clock that is never set. */
  readonly monotonicNow: () => number;
  readonly retentionClock: RetentionClock;
}

/** What the log has part in. What comes from other stores is not in it. */
export type GenerationLogRepository = Omit<GenerationRepository, 'listSpending' | 'carrySpending'>;

/** Generations on disk. The caller that opened them closes them. */
export interface GenerationLog {
  readonly repository: GenerationLogRepository;
  /** What the repository says was spent. */
  readonly spending: SpendingBook;
  /** Number of generations at start. */
  readonly loaded: number;
  /** Writes and syncs what is pending; rejects when something may not be durable. */
  close(): Promise<void>;
}

/** Opens the generations of a directory: reads and repairs them, compacts, and applies the limits. */
export async function openGenerationLog(options: GenerationLogOptions): Promise<GenerationLog> {
  const { index, carried, withDeletedContent, beyondEnd } = await loadGenerations(options);
  const loaded = index.size;
  const reader = createContentReader({ ...options, index });
  for (const segment of withDeletedContent) await compact(options, { index, reader, segment });

  const journal = await openJournal<Operation>(await chooseStart(options, index, carried), {
    ...options,
    segmentLimits: segmentLimits(options.limits),
    encode: createEncoder(index),
    commit: (operation) => commit(index, operation),
    rolled: () => void index.addSegment(journal.active.name),
    // Called after a batch was written at the earliest, when `retention` exists.
    retired: () => retention.look(),
  });
  index.addSegment(journal.active.name);
  const retention = startRetention<Operation>({
    ...options,
    index,
    journal,
    carried,
    toOperation: (next) => ({ type: 'carry', carried: next }),
  });
  await retention.settled();
  const toOperation = (entry: GenerationEntry): Operation => ({ type: 'delete-content', entry, isLost: true });
  await settleLostContent({ ...options, reader, journal, toOperation }, beyondEnd);

  const stopWarming = startWarming({ ...options, entries: index.newestFirst, count: () => index.size });

  return {
    repository: {
      ...createRepository({ index, reader, journal }),
      completeFromMs: retention.completeFromMs,
    },
    spending: index.spending,
    loaded,
    async close() {
      stopWarming();
      retention.stop();
      await retention.settled();
      await journal.close();
    },
  };
}

async function compact(
  options: GenerationLogOptions,
  target: { readonly index: GenerationIndex; readonly reader: ContentReader; readonly segment: SegmentName },
): Promise<void> {
  try {
    await compactSegment({ ...options, ...target }, target.segment);
  } catch (error) {
    options.logger?.warn('Deleted content could not be removed from the disk yet; the next start tries again', {
      segment: target.segment,
      reason: errorReason(error),
    });
  }
}

/** Continues the newest segment if it is of today; otherwise begins one after all that ever existed. */
async function chooseStart(
  options: GenerationLogOptions,
  index: GenerationIndex,
  { droppedThrough }: CarriedForward,
): Promise<SegmentStart> {
  const newest = index.segments.at(-1)?.name ?? null;
  const last = newest === null || isThrough(newest, droppedThrough) ? droppedThrough : newest;
  const next = nextSegment(last, options.now());
  // When the next segment is a further part of the same day, the last one is of today.
  const isSameDay = last !== null && next.slice(0, 10) === last.slice(0, 10);
  const name = isSameDay && last === newest ? last : next;
  const lines = index.segments.find((segment) => segment.name === name)?.records ?? 0;
  return { name, contentFile: await currentContentFile(options, name), lines };
}

interface Parts {
  readonly index: GenerationIndex;
  readonly reader: ContentReader;
  readonly journal: Journal<Operation>;
}

function createRepository({ index, reader, journal }: Parts): GenerationLogRepository {
  return {
    append(record, content) {
      // Not an async function: the operation's promise is enough.
      try {
        return addOperation(journal.batch(), { type: 'add', record, content, written: null });
      } catch (error) {
        return Promise.reject(error instanceof Error ? error : new Error(String(error)));
      }
    },
    async update(record) {
      const entry = index.find(record.generation.id);
      if (entry === undefined) return false;
      await addOperation(journal.batch(), { type: 'replace', entry, record, text: '' });
      return true;
    },
    get(id) {
      return index.find(id)?.readRecord();
    },
    getContent(id) {
      const entry = index.find(id);
      return entry === undefined || entry.content === null ? undefined : reader.read(entry);
    },
    getPreview(id) {
      const entry = index.find(id);
      return entry === undefined || entry.content === null ? undefined : reader.readPreview(entry);
    },
    async deleteContent(id) {
      const entry = index.find(id);
      if (entry === undefined || entry.content === null) return false;
      await addOperation(journal.batch(), { type: 'delete-content', entry, isLost: false });
      return true;
    },
    page: (query) => index.page(query),
    sorted: (query) => index.sorted(query),
    sessions: (query) => index.sessions(query),
    histogram: (query) => index.histogram(query),
    scan: (span, look) => index.scan(span, look),
    facets: (filter) => index.facets(filter),
    activity: (query) => index.activity(query),
    count: () => index.size,
    spentNanoUsd: index.spending.totalNanoUsd,
    spent: index.spending.spent,
  };
}
