import { setTimeout as pause } from 'node:timers/promises';

import {
  type Awaitable,
  fromStoredForm,
  type GenerationPage,
  type GenerationQuery,
  type GenerationRecord,
  type GenerationRepository,
  type Logger,
  type RecordJournal,
  type RetentionChanges,
  type RetentionState,
  toInterruptedRecord,
} from '@model-gateway/core';
import { sql } from 'kysely';

import { runInBackground } from '../connection/connection.ts';
import type { StorePart, StorePartOptions } from '../store-part.ts';
import { addUpActivity } from './activity.ts';
import { createAppend, createChanges, type SpoolLimits } from './append.ts';
import { causeOf } from './batch-error.ts';
import { type BatchWriter, createBatchWriter } from './batch-writer.ts';
import { secondOfId } from './day-of-generation.ts';
import { countFacets } from './facets.ts';
import { createFolding, toAddChanges } from './folding.ts';
import { createFollow } from './follow.ts';
import { addUpByTime } from './histogram.ts';
import { pageOfGenerations, sortGenerations } from './pages.ts';
import { createSnapshot, type ReadConnection } from './reader.ts';
import { createDays, createRetention } from './retention.ts';
import { scanGenerations } from './search.ts';
import { createServerWatch } from './server-watch.ts';
import { pageOfSessions } from './sessions.ts';
import { carrySpending, createSpending, listSpending, type Spending } from './spending.ts';
import { createStoredGenerations, type StoredGenerations } from './stored-generations.ts';
import { INCOMING, type WriteParts } from './write-batch.ts';

/** The generations of a store. */
interface GenerationStore extends StorePart {
  readonly repository: GenerationRepository;
  readonly retention: RetentionState;
  readonly changes: Pick<RetentionChanges, 'apply' | 'preview'>;
  /** How many records the database does not have yet. */
  readonly countWaiting: () => number;
}

export interface GenerationsOptions {
  /**
   * Where what is appended survives the death of this process until it is in the database. The store closes it. Without
   * one, an append waits for the database.
   */
  readonly journal?: RecordJournal | undefined;
  /** How much may wait for the database. */
  readonly spool?: SpoolLimits | undefined;
}

/** Makes the generations of a store; nothing is read before `start`, and what is appended waits for it. */
export function openGenerations(
  { connection, logger, now, clock, keptDays }: StorePartOptions,
  { journal, spool = {} }: GenerationsOptions,
  { reads, rollups, dropBefore }: GenerationSums,
): GenerationStore {
  const reportLostNotes = (error: unknown): void => {
    logger?.error('Streams that the end of the last process has cut cannot be recorded', { reason: causeOf(error) });
  };
  const days = createDays(connection);
  const stored = createStoredGenerations({ database: connection.database, logger });
  const spending = createSpending(connection);
  const deleteStored = stored.deleteContent;
  const server = createServerWatch({
    connection,
    logger,
    onChanged: () => (journal === undefined ? undefined : restartBacklog(journal, writer, logger)),
    onConfirmed: (atMs) => journal?.release(atMs - HELD_MS),
  });
  const write = { connection, days, server, rollups };
  const writer = createBatchWriter({ ...write, journal, logger, deleteContent: deleteStored });
  const retention = createRetention({ connection, days, spending, logger, clock, keptDays, dropBefore });
  const recovered = journal === undefined ? Promise.resolve() : recoverJournal(journal, writer).catch(reportLostNotes);
  let wokenAt: number | undefined;
  const repository = createRepository({
    follow: createFollow({ ...connection, server }),
    write,
    writer,
    journal,
    logger,
    limits: spool,
    stored,
    spending,
    reads,
    now,
    wokenAt: () => wokenAt,
  });

  return {
    repository: {
      ...repository,
      async listSpending(exceptFrom) {
        // What was appended here is counted by the batches.
        await writer.flush();
        return listSpending(connection, exceptFrom);
      },
      carrySpending: (source, sums) => carrySpending(connection, source, sums),
      ...(journal !== undefined && {
        async noteRunning(calls) {
          await recovered;
          await journal.noteRunning(calls);
        },
      }),
    },
    retention: { now: clock.now, isHeld: clock.isHeld, countLate: writer.countLate },
    changes: retention,
    countWaiting: writer.countWaiting,
    async start() {
      await server.start();
      await retention.start();
      await recovered;
      wokenAt ??= now();
      writer.wake();
    },
    async close() {
      server.close();
      retention.stop();
      const { inJournal, inMemoryAlone: lost } = await writer.close();
      if (lost > 0) {
        logger?.error('Generations are lost: the database did not take them before the end', { generations: lost });
      }
      if (inJournal > 0) {
        logger?.warn('Generations wait in the journal for the next start', { generations: inJournal });
      }
      await journal?.close();
    },
  };
}

/** A standby that takes over may lack what was committed in this time. */
const HELD_MS = 60_000;

/** Writes what was settled of late once more: another server may lack it. What it has is there before by its id. */
function restartBacklog(journal: RecordJournal, { backlog }: BatchWriter, logger: Logger | undefined): void {
  const segments = journal.recall();
  logger?.warn('The database is at another server than before; the generations of the last minute are written again', {
    journalFiles: segments.length,
  });
  backlog?.restart();
  for (const { segment, records } of segments) backlog?.add(segment, records);
}

/**
 * Takes over what an earlier process has left: its records, and after them the calls that it had noted as under way. One
 * of those that was recorded nevertheless is there before by its id.
 */
async function recoverJournal(journal: RecordJournal, { backlog }: BatchWriter): Promise<void> {
  for (const segment of journal.recovered) backlog?.add(segment, 1);
  for (const call of journal.interrupted) {
    const record = toInterruptedRecord(call);
    const { id } = record.generation;
    backlog?.add(await journal.append({ id, record: JSON.stringify(record), content: null }), 1);
  }
  if (journal.interrupted.length > 0) await journal.noteRunning([]);
}

/** What keeps and reads sums and lists. */
interface GenerationSums extends StorePart {
  readonly reads: GenerationReads;
  /** Statements of the transaction that writes a batch, for the rows of `INCOMING`. */
  readonly rollups: readonly string[];
  /** Drops the sums of the days before one. */
  dropBefore(day: string): Promise<void>;
}

/** Creates the queries of lists, charts and counts, and what keeps the sums that they read. */
export function createGenerationSums({ connection, logger, now }: StorePartOptions): GenerationSums {
  const folding = createFolding({ connection, logger });
  return {
    reads: createGenerationQueries({ useClient: connection.useReader }, now),
    rollups: [toAddChanges(INCOMING)],
    async dropBefore(day) {
      await runInBackground(connection, sql`select gateway.forget_generation_sums(${day}::date)`);
    },
    start: folding.start,
    close: folding.close,
  };
}

/** What lists, charts and sums read from the database, without a look at what waits to be written. */
interface GenerationReads extends Pick<
  GenerationRepository,
  'sorted' | 'sessions' | 'histogram' | 'scan' | 'facets' | 'activity'
> {
  page(query: GenerationQuery): Promise<GenerationPage>;
}

/** Creates the queries of lists, charts and counts. */
function createGenerationQueries(connection: ReadConnection, now: () => number): GenerationReads {
  const monotonicNow = (): number => performance.now();
  const parts = { snapshot: createSnapshot(connection, monotonicNow), monotonicNow, now };
  return {
    page: (query) => pageOfGenerations(query, parts),
    sorted: (query) => sortGenerations(query, parts),
    sessions: (query) => pageOfSessions(query, parts),
    histogram: (query) => addUpByTime(query, parts),
    scan: (query, look) => scanGenerations(query, look, parts),
    facets: (filter) => countFacets(filter, parts),
    activity: (query) => addUpActivity(query, parts),
  };
}

interface RepositoryParts {
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
function createRepository(
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
    // Looked at first: what is written during the read is in the database, and not in its result.
    const isAll = writer.backlog?.isEmpty !== false;
    const found = await read();
    if (found !== undefined || isAll) return found;
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
      return found.content === null ? undefined : fromStoredForm(JSON.parse(found.content.text));
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

/** A response is a batch ahead of its record: some 50 ms, and several times that on a busy machine. */
const LATE_PAUSES_MS = [20, 40, 80, 160];
/** The id is made when the call begins, and no call is expected to take longer. */
const LONGEST_CALL_S = 3600;

/** Looks a few times for a generation that was not there yet; at none whose id says that it is older than any call. */
async function getLate(
  id: string,
  get: (id: string) => Promise<GenerationRecord | undefined>,
  nowMs: number,
): Promise<GenerationRecord | undefined> {
  const second = secondOfId(id);
  if (second === undefined || nowMs / 1000 - second > LONGEST_CALL_S) return undefined;
  for (const ms of LATE_PAUSES_MS) {
    await pause(ms);
    const found = await get(id);
    if (found !== undefined) return found;
  }
  return undefined;
}
