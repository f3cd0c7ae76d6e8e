import {
  GatewayError,
  type GenerationRecord,
  type GenerationRepository,
  type Logger,
  type RecordJournal,
  type StoredContent,
} from '@model-gateway/core';

import { causeOf } from './batch-error.ts';
import type { BatchWriter } from './batch-writer.ts';
import { secondOfId } from './day-of-generation.ts';
import { type PendingRecord, settledOf, toPendingRecord } from './pending-records.ts';
import { replaceRecord, type WriteParts } from './write-batch.ts';

/** How much waits for the database before something is left out. */
export interface SpoolLimits {
  /** Size of records in memory; more are only in the journal, and refused while its disk fails. Default: 64 MiB. */
  readonly memoryBytes?: number | undefined;
  /** Size of the journal; more records are stored without their contents. Default: 1 GiB. */
  readonly journalBytes?: number | undefined;
}

interface AppendOptions {
  readonly writer: BatchWriter;
  readonly journal: RecordJournal | undefined;
  readonly logger: Logger | undefined;
  readonly limits: SpoolLimits;
  /** The second in which this process began. */
  readonly startedSecond: number;
}

const DEFAULT_MEMORY_BYTES = 64 * 1024 ** 2;
export const DEFAULT_JOURNAL_BYTES = 1024 ** 3;
/** Records without contents may go beyond the limit by this, before they are lost. */
const FACTS_BEYOND = 1.25;
/** No new calls are taken from here on, so that there is room for those that are under way. */
const CALLS_BEYOND = 1.2;
/** While the disk fails and the database is away, the disk is tried again this often. */
const TRY_DISK_MS = 1000;
/** For a record that must be in the database before its append resolves. */
const COMMIT_LIMIT_MS = 5000;
/** For the database to say whether an id exists that this process cannot have made. */
const CHECK_LIMIT_MS = 2000;

/**
 * Creates `append`: durable in the journal, or without one in the database. And what tells of it before a call is made
 * that could not be recorded.
 */
export function createAppend(options: AppendOptions): Required<Pick<GenerationRepository, 'append' | 'findNoRoom'>> {
  const { writer, journal, startedSecond } = options;
  const spool = createSpool(options);
  const append = async (record: GenerationRecord, content: StoredContent | null): Promise<void> => {
    const { id } = record.generation;
    const { pending } = writer;
    if (pending.isKnown(id)) throw new IdExistsError(id);
    const added = toPendingRecord(record, spool.takesContents() ? content : null);
    if (content !== null && added.content === null) spool.noteContent();
    if (!spool.takesFacts()) return spool.noteFacts(id);
    pending.know(id);
    const isJournaled = await spool.journal(added);
    if (journal !== undefined && spool.isMemoryFull()) {
      if (isJournaled) return writer.backlog?.add(added.segment ?? 0, 1);
      pending.forget(id);
      throw toNotStoredError();
    }
    const isOwn = (secondOfId(id) ?? 0) >= startedSecond;
    const isWaitedFor = !isJournaled || !isOwn;
    writer.add(added, isWaitedFor);
    if (!isWaitedFor) return;
    const isNew = await settledWithin(isJournaled ? CHECK_LIMIT_MS : COMMIT_LIMIT_MS, added);
    // An id that only this process can have made is there before where the answer to a commit was lost.
    if (isNew === false && !(isOwn && added.wasTried)) throw new IdExistsError(id);
    if (isNew === undefined && !isJournaled) throw toNotStoredError();
  };
  return { append, findNoRoom: spool.findNoRoom };
}

/** Its id is that of another generation. */
class IdExistsError extends Error {
  constructor(id: string) {
    super(`A generation with the id ${id} exists`);
  }
}

const toNotStoredError = (): GatewayError =>
  new GatewayError(
    'provider_overloaded',
    'The database of the gateway does not accept generations; it is tried again',
    {
      retryAfterSeconds: 1,
    },
  );

/** Whether the record was new; undefined after the time. */
function settledWithin(limitMs: number, record: PendingRecord): Promise<boolean | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), limitMs);
    settledOf(record)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

interface Spool {
  takesContents(): boolean;
  takesFacts(): boolean;
  /** As of `GenerationRepository`. */
  findNoRoom(): string | null;
  isMemoryFull(): boolean;
  noteContent(): void;
  noteFacts(id: string): void;
  /** False where there is no journal, or its disk fails. */
  journal(record: PendingRecord): Promise<boolean>;
}

/**
 * What waits, against its limits. Everything that is left out is reported once, until there is room again, and a journal
 * that fails once, until it takes records again.
 */
function createSpool({ writer, journal, logger, limits }: AppendOptions): Spool {
  const { memoryBytes = DEFAULT_MEMORY_BYTES, journalBytes = DEFAULT_JOURNAL_BYTES } = limits;
  const lost = { contents: 0, records: 0 };
  let isJournalFailing = false;
  let triesDiskAt = 0;
  /** What waits in memory alone is the first that the disk gets; with nothing there, the next call shows how it is. */
  const tryDisk = (): boolean => {
    if (performance.now() < triesDiskAt) return false;
    triesDiskAt = performance.now() + TRY_DISK_MS;
    for (const record of writer.pending.all()) {
      if (record.segment !== null) continue;
      void journalLate(record);
      return false;
    }
    return true;
  };
  const journalLate = async (record: PendingRecord): Promise<void> => {
    if (!(await append(record)) || record.segment === null) return;
    // The database may have taken it meanwhile.
    if (writer.pending.find(record.id) !== record) journal?.settle(record.segment, 1);
  };
  const append = async (record: PendingRecord): Promise<boolean> => {
    if (journal === undefined) return false;
    try {
      record.segment = await journal.append({
        id: record.id,
        record: record.text,
        content: record.content?.text ?? null,
      });
      if (isJournalFailing) logger?.info('The journal takes generations again');
      isJournalFailing = false;
      return true;
    } catch (error) {
      if (isJournalFailing) return false;
      isJournalFailing = true;
      triesDiskAt = performance.now() + TRY_DISK_MS;
      logger?.error('The journal does not take generations; they wait for the database instead', {
        reason: causeOf(error),
      });
      return false;
    }
  };
  const isWithin = (share: number): boolean =>
    journal === undefined ? writer.pending.bytes < memoryBytes * share : journal.bytes < journalBytes * share;
  return {
    takesContents() {
      if (!isWithin(1)) return false;
      if (lost.contents > 0 || lost.records > 0) {
        logger?.warn('There is room again; this was left out while the database was away', { ...lost });
        Object.assign(lost, { contents: 0, records: 0 });
      }
      return true;
    },
    takesFacts: () => isWithin(FACTS_BEYOND),
    isMemoryFull: () => writer.pending.bytes >= memoryBytes,
    noteContent() {
      lost.contents += 1;
      if (lost.contents > 1) return;
      logger?.error('Too much waits for the database: contents of generations are left out until it takes them');
    },
    noteFacts(id) {
      writer.giveUp(id);
      lost.records += 1;
      if (lost.records > 1) return;
      logger?.error('Far too much waits for the database: generations are lost until it takes them');
    },
    findNoRoom() {
      if (!isWithin(CALLS_BEYOND)) return 'Far too much waits for the database of the gateway';
      const isDiskAway = (journal === undefined || isJournalFailing) && writer.isAway();
      if (!isDiskAway || (journal !== undefined && tryDisk())) return null;
      const what =
        journal === undefined ? 'The database of the gateway is' : 'The database and the journal of the gateway are';
      return `${what} away`;
    },
    journal: append,
  };
}

interface ChangeOptions extends WriteParts {
  readonly writer: BatchWriter;
  readonly journal: RecordJournal | undefined;
  readonly logger: Logger | undefined;
  /** Removes a content from the database. */
  readonly deleteStored: (id: string) => Promise<boolean>;
  /** For what an earlier process has left in the journal. */
  readonly backlogLimitMs: number;
}

/** Creates `update`, `change` and `deleteContent`, of generations wherever they are. */
export function createChanges(
  options: ChangeOptions,
): Required<Pick<GenerationRepository, 'update' | 'change' | 'deleteContent'>> {
  const { writer, journal, deleteStored, backlogLimitMs } = options;

  /** Changes a record that waits for its batch; false when it is not there, as then the database has it. */
  const changePending = async (id: string, change: (record: PendingRecord) => void): Promise<boolean> => {
    // A batch that is being written has the old version.
    while (writer.pending.find(id)?.state === 'writing') await writer.flush();
    const pending = writer.pending.find(id);
    if (pending === undefined) return false;
    change(pending);
    pending.isChanged = pending.wasTried;
    return true;
  };
  const orAfterBacklog = async (change: () => Promise<boolean>): Promise<boolean> => {
    // Looked at first: what is written during the change has not been seen by it.
    const isAll = writer.backlog?.isEmpty !== false;
    if (await change()) return true;
    if (isAll) return false;
    await writer.emptyBacklog(backlogLimitMs);
    return change();
  };
  const change: NonNullable<GenerationRepository['change']> = async (id, toNext) => {
    let changed: GenerationRecord | undefined;
    const isPending = await changePending(id, (pending) => {
      const { record, text } = toPendingRecord(toNext(pending.record), null);
      Object.assign(pending, { record, text });
      changed = record;
    });
    if (!isPending) {
      const toVersion = (text: string): PendingRecord =>
        toPendingRecord(toNext(JSON.parse(text) as GenerationRecord), null);
      return orAfterBacklog(() => replaceRecord(options, id, toVersion));
    }
    await (journal === undefined ? writer.flush() : noteChange(options, { id, record: changed }));
    return true;
  };
  return {
    change,
    update: (record) => change(record.generation.id, () => record),
    async deleteContent(id) {
      let had = false;
      const isPending = await changePending(id, (pending) => {
        had = pending.content !== null;
        pending.content = null;
      });
      if (!isPending) return orAfterBacklog(() => deleteStored(id));
      if (had) await (journal === undefined ? writer.flush() : noteChange(options, { id, isContentDeleted: true }));
      return had;
    },
  };
}

/** Notes a change in the journal until the record is in the database with it. */
async function noteChange(
  { journal, writer, logger }: ChangeOptions,
  change: Parameters<RecordJournal['change']>[0],
): Promise<void> {
  const pending = writer.pending.find(change.id);
  const settled = pending === undefined ? undefined : settledOf(pending);
  await journal?.change(change);
  const forget = (): Promise<void> | undefined => journal?.settleChange(change.id);
  void settled?.then(forget, forget).catch((error: unknown) => {
    logger?.warn('A change that was written could not be removed from the journal', { reason: causeOf(error) });
  });
}
