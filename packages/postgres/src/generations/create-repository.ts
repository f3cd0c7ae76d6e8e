import type {
  Awaitable,
  GenerationRecord,
  GenerationRepository,
  Logger,
  RecordJournal,
  StoredContent,
} from '@model-gateway/core';

import type { StoredGenerations } from './content/stored-generations.ts';
import type { GenerationReads } from './generation-queries.ts';
import { getLate } from './read/get-late.ts';
import type { Spending } from './spending.ts';
import { createAppend, type SpoolLimits } from './write/append.ts';
import type { BatchWriter } from './write/batch-writer.ts';
import { createChanges } from './write/change-record.ts';
import type { WriteParts } from './write/write-batch.ts';

export interface RepositoryParts {
  readonly write: WriteParts;
  readonly writer: BatchWriter;
  readonly journal: RecordJournal | undefined;
  readonly logger: Logger | undefined;
  readonly limits: SpoolLimits;
  readonly stored: StoredGenerations;
  readonly spending: Spending;
  readonly reads: GenerationReads;
  readonly follow: NonNullable<GenerationRepository['follow']>;
  readonly now: () => number;
  /** When what an earlier process has left began to be written; undefined before. */
  readonly wokenAt: () => number | undefined;
}

/** For what an earlier process has left: a read that misses it waits this long, and a list right after the start. */
const BACKLOG_LIMIT_MS = 2000;

/**
 * Creates the repository. A process sees at once what it has appended: single records in memory, lists and sums after
 * the next batch.
 */
export function createRepository(
  parts: RepositoryParts,
): Omit<GenerationRepository, 'noteRunning' | 'listSpending' | 'carrySpending'> {
  const { write, writer, journal, logger, limits, stored, spending, reads, now, wokenAt } = parts;
  const { pending } = writer;

  const settle = async (): Promise<void> => {
    if (pending.size > 0) await writer.flush();
    const leftMs = (wokenAt() ?? now()) + BACKLOG_LIMIT_MS - now();
    if (writer.backlog?.isEmpty === false && leftMs > 0) await writer.emptyBacklog(Math.min(leftMs, BACKLOG_LIMIT_MS));
  };
  /** A read of the database that sees all that was appended here. */
  const settled =
    <Arguments extends unknown[], Result>(read: (...given: Arguments) => Awaitable<Result>) =>
    async (...given: Arguments): Promise<Result> => {
      await settle();
      return read(...given);
    };
  const orAfterBacklog = async <Result>(read: () => Promise<Result | undefined>): Promise<Result | undefined> => {
    const found = await read();
    if (found !== undefined || writer.backlog?.isEmpty !== false) return found;
    await writer.emptyBacklog(BACKLOG_LIMIT_MS);
    return read();
  };
  const spent = settled(spending.spent);

  return {
    ...createAppend({ writer, journal, logger, limits, startedSecond: Math.floor(now() / 1000) }),
    ...createChanges({
      ...write,
      writer,
      journal,
      logger,
      deleteStored: stored.deleteContent,
      backlogLimitMs: BACKLOG_LIMIT_MS,
    }),
    onCounted: writer.onCounted,
    get: (id): Awaitable<GenerationRecord | undefined> =>
      pending.find(id)?.record ?? orAfterBacklog(() => stored.get(id)),
    getLate: (id) => getLate(id, stored.get, now()),
    getContent(id) {
      const found = pending.find(id);
      if (found === undefined) return orAfterBacklog(() => stored.getContent(id));
      return found.content === null ? undefined : (JSON.parse(found.content.text) as StoredContent);
    },
    getPreview(id) {
      const found = pending.find(id);
      return found === undefined ? orAfterBacklog(() => stored.getPreview(id)) : (found.content?.preview ?? undefined);
    },
    page: settled(reads.page),
    follow: settled(parts.follow),
    sorted: settled(reads.sorted),
    sessions: settled(reads.sessions),
    histogram: settled(reads.histogram),
    scan: settled(reads.scan),
    facets: settled(reads.facets),
    activity: settled(reads.activity),
    completeFromMs: () => write.days.completeFromMs(),
    count: settled(async () => {
      const [first] = await write.days.list();
      return first === undefined ? 0 : spending.countSince(first);
    }),
    spent,
    async spentNanoUsd(principalId) {
      const { creditsNanoUsd, byokNanoUsd } = await spent({ principalId });
      return creditsNanoUsd + byokNanoUsd;
    },
  };
}
