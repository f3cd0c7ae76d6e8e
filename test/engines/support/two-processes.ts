import { isDeepStrictEqual } from 'node:util';

import type {
  AssignmentRepository,
  GenerationRepository,
  Repository,
  Store,
  TableRepository,
} from '@model-gateway/core';
import { expect } from 'vitest';

/**
 * Opens a store twice, as two processes do, and shows both as one: what one of them writes is read from the other, as
 * soon as it is there.
 */
export async function openAsTwoProcesses(open: () => Promise<Store>): Promise<Store> {
  const [one, other] = [await open(), await open()];
  let turns = 0;
  const inTurn = (): readonly [writer: Store, reader: Store] => ((turns += 1) % 2 === 0 ? [one, other] : [other, one]);

  const writeOne = async <Rows extends { list(): unknown }, Result>(
    pick: (store: Store) => Rows,
    work: (rows: Rows) => Promise<Result>,
  ): Promise<Result> => {
    const [writer, reader] = inTurn();
    const result = await work(pick(writer));
    await expectSame(
      () => pick(writer).list(),
      () => pick(reader).list(),
    );
    return result;
  };
  const logged = <Row>(pick: (store: Store) => Repository<Row>): Repository<Row> => ({
    get: (id) => pick(inTurn()[1]).get(id),
    list: () => pick(inTurn()[1]).list(),
    insert: (row) => writeOne(pick, (rows) => rows.insert(row)),
    update: (id, change, initial) => writeOne(pick, (rows) => rows.update(id, change, initial)),
    remove: (id) => writeOne(pick, (rows) => rows.remove(id)),
  });
  const table = <Row>(pick: (store: Store) => TableRepository<Row>): TableRepository<Row> => ({
    ...logged(pick),
    insert: (row, check) => writeOne(pick, (rows) => rows.insert(row, check)),
    update: (id, change, initial) => writeOne(pick, (rows) => rows.update(id, change, initial)),
  });
  const assignments = (pick: (store: Store) => AssignmentRepository): AssignmentRepository => {
    return {
      get: (id) => pick(inTurn()[1]).get(id),
      list: () => pick(inTurn()[1]).list(),
      assign: (rows) => writeOne(pick, (all) => all.assign(rows)),
      unassign: (id, subjects) => writeOne(pick, (all) => all.unassign(id, subjects)),
    };
  };

  return {
    ...one,
    keys: table(({ keys }) => keys),
    // The removal of any of these may remove assignments.
    members: table(({ members }) => members),
    guardrails: table(({ guardrails }) => guardrails),
    keyAssignments: assignments(({ keyAssignments }) => keyAssignments),
    memberAssignments: assignments(({ memberAssignments }) => memberAssignments),
    workspaces: table(({ workspaces }) => workspaces),
    destinations: table(({ destinations }) => destinations),
    providers: table(({ providers }) => providers),
    models: table(({ models }) => models),
    settings: {
      get: () => other.settings.get(),
      async update(change) {
        const changed = await one.settings.update(change);
        await expectSame(
          () => changed,
          () => other.settings.get(),
        );
        return changed;
      },
    },
    videoJobs: { ...other.videoJobs, ...logged(({ videoJobs }) => videoJobs) },
    broadcasts: { ...other.broadcasts, ...logged(({ broadcasts }) => broadcasts) },
    guardrailHits: { ...other.guardrailHits, ...logged(({ guardrailHits }) => guardrailHits) },
    prompts: { ...other.prompts, ...logged(({ prompts }) => prompts) },
    batches: { ...other.batches, ...logged(({ batches }) => batches) },
    files: { ...other.files, ...logged(({ files }) => files) },
    deliveries: {
      append: (attempt) => one.deliveries.append(attempt),
      of: (id, createdAtMs) => other.deliveries.of(id, createdAtMs),
    },
    generations: writtenByOneReadByOther(one.generations, other.generations),
    async close() {
      await one.close();
      await other.close();
    },
  };
}

/** What is appended here is in the database once that has resolved, as there is no journal. */
function writtenByOneReadByOther(one: GenerationRepository, other: GenerationRepository): GenerationRepository {
  return {
    ...other,
    ...(one.noteRunning === undefined ? {} : { noteRunning: one.noteRunning }),
    append: one.append,
    update: one.update,
    deleteContent: one.deleteContent,
  };
}

/** As `JSON` has it: what is undefined is absent. */
async function expectSame(read: () => unknown, readOther: () => unknown): Promise<void> {
  // Others may write meanwhile.
  const isSame = async (): Promise<boolean> => isDeepStrictEqual(toPlain(await readOther()), toPlain(await read()));
  await expect.poll(isSame, { interval: 5 }).toBe(true);
}

const toPlain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
