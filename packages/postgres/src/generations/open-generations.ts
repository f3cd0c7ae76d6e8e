import {
  type GenerationRepository,
  type Logger,
  type RecordJournal,
  type RetentionState,
  toInterruptedRecord,
} from '@model-gateway/core';

import type { Room, RoomParts } from '../room.ts';
import { carrySpending, listSpending } from './carried-spending.ts';
import { createStoredGenerations } from './content/stored-generations.ts';
import { createRepository } from './create-repository.ts';
import { createFollow } from './follow.ts';
import type { GenerationSums } from './generation-sums.ts';
import { createDays } from './retention/days.ts';
import { createRetention } from './retention/retention.ts';
import { createServerWatch } from './server-watch.ts';
import { createSpending } from './spending.ts';
import type { SpoolLimits } from './write/append.ts';
import { messageOf } from './write/batch-error.ts';
import { type BatchWriter, createBatchWriter } from './write/batch-writer.ts';

/** The generations of a store. */
export interface GenerationsRoom extends Room {
  readonly repository: GenerationRepository;
  readonly retention: RetentionState;
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
  { connection, logger, now, retentionDays }: RoomParts,
  { journal, spool = {} }: GenerationsOptions,
  { reads, rollups, dropBefore }: GenerationSums,
): GenerationsRoom {
  const reportLostNotes = (error: unknown): void => {
    logger?.error('Streams that the end of the last process has cut cannot be recorded', { reason: messageOf(error) });
  };
  const days = createDays(connection);
  const stored = createStoredGenerations(connection);
  const spending = createSpending(connection);
  const deleteStored = stored.deleteContent;
  const server = createServerWatch({
    connection,
    logger,
    onChanged: () => (journal === undefined ? undefined : readAgain(journal, writer, logger)),
    onConfirmed: (atMs) => journal?.release(atMs - HELD_MS),
  });
  const write = { connection, days, server, rollups };
  const writer = createBatchWriter({ ...write, journal, logger, deleteContent: deleteStored });
  const retention = createRetention({ connection, days, spending, logger, now, retentionDays, dropBefore });
  const recovered = journal === undefined ? Promise.resolve() : recover(journal, writer).catch(reportLostNotes);
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
    retention: { ...retention.state, countLate: writer.countLate },
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
function readAgain(journal: RecordJournal, { backlog }: BatchWriter, logger: Logger | undefined): void {
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
async function recover(journal: RecordJournal, { backlog }: BatchWriter): Promise<void> {
  for (const segment of journal.recovered) backlog?.add(segment, 1);
  for (const call of journal.interrupted) {
    const record = toInterruptedRecord(call);
    const { id } = record.generation;
    backlog?.add(await journal.append({ id, record: JSON.stringify(record), content: null }), 1);
  }
  if (journal.interrupted.length > 0) await journal.noteRunning([]);
}
