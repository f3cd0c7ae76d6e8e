import { createTurns } from '../../foundation/queues.ts';
import type {
  AssignmentRepository,
  DeliveryAttempt,
  DeliveryLog,
  Repository,
  Store,
  TableRepository,
} from '../store.ts';
import type { AssignmentRecord, Tables } from '../table-schemas.ts';

/** The storage of the tables, as one value that is replaced as a whole. */
export interface TableSource {
  /** The last durable state: never a write that may still fail. */
  read(): Tables;
  /** Persists the result of `change` on the present tables, one change after the other; an exception of it rejects. */
  change(change: (tables: Tables) => Tables): Promise<void>;
}

/** All repositories of a store but those that change with every call. */
type TableRepositories = Omit<
  Store,
  | 'generations'
  | 'videoJobs'
  | 'broadcasts'
  | 'guardrailHits'
  | 'prompts'
  | 'presets'
  | 'reruns'
  | 'files'
  | 'batches'
  | 'deliveries'
  | 'audit'
  | 'close'
>;

/** Makes the repositories of a store that has its tables in memory. Getting a row is one look-up. */
export function createTableRepositories(source: TableSource): TableRepositories {
  return {
    keys: createRepository(source, {
      table: 'keys',
      idOf: ({ hash }) => hash,
      alsoRemove: (tables, hash) => ({ keyAssignments: withoutSubject(tables.keyAssignments, hash) }),
    }),
    members: createRepository(source, {
      table: 'members',
      idOf,
      alsoRemove: (tables, id) => ({ memberAssignments: withoutSubject(tables.memberAssignments, id) }),
    }),
    guardrails: createRepository(source, {
      table: 'guardrails',
      idOf,
      alsoRemove: ({ keyAssignments, memberAssignments }, id) => ({
        keyAssignments: keyAssignments.filter(({ guardrailId }) => guardrailId !== id),
        memberAssignments: memberAssignments.filter(({ guardrailId }) => guardrailId !== id),
      }),
    }),
    keyAssignments: createAssignmentRepository(source, 'keyAssignments'),
    memberAssignments: createAssignmentRepository(source, 'memberAssignments'),
    workspaces: createRepository(source, { table: 'workspaces', idOf }),
    destinations: createRepository(source, { table: 'destinations', idOf }),
    providers: createRepository(source, { table: 'providers', idOf }),
    models: createRepository(source, { table: 'models', idOf }),
    byokKeys: createRepository(source, { table: 'byokKeys', idOf }),
    scimGroups: createRepository(source, { table: 'scimGroups', idOf }),
    settings: {
      get: () => source.read().settings,
      async update(change) {
        await source.change((tables) => ({ ...tables, settings: change(tables.settings) }));
        return source.read().settings;
      },
    },
  };
}

type RowTable = Exclude<keyof Tables, 'keyAssignments' | 'memberAssignments' | 'settings'>;
type RowOf<Table extends RowTable> = Tables[Table][number];

interface RepositoryOptions<Table extends RowTable> {
  readonly table: Table;
  readonly idOf: (row: RowOf<Table>) => string;
  /** The tables from which something goes together with a row of this one, without it. */
  readonly alsoRemove?: (tables: Tables, id: string) => Partial<Tables>;
}

const idOf = ({ id }: { readonly id: string }): string => id;

function createRepository<Table extends RowTable>(
  source: TableSource,
  { table, idOf, alsoRemove }: RepositoryOptions<Table>,
): TableRepository<RowOf<Table>> {
  type Row = RowOf<Table>;
  const rows = (): readonly Row[] => source.read()[table];
  const find = createLookUp(rows, idOf);
  const has = (tables: Tables, id: string): boolean => tables[table].some((row) => idOf(row) === id);

  return {
    get: find,
    list: rows,
    insert: (row, check) =>
      source.change((tables) => {
        check?.(tables[table]);
        if (has(tables, idOf(row))) throw new Error(`A row with the id ${idOf(row)} exists in ${table}`);
        return { ...tables, [table]: [...tables[table], row] };
      }),
    async update(id, change, initial) {
      let changed: Row | undefined;
      await source.change((tables) => {
        const present: readonly Row[] = tables[table];
        const isThere = has(tables, id);
        changed = undefined;
        if (!isThere && initial === undefined) return tables;
        const edit = (row: Row): Row => (changed = change(row, present));
        const next = isThere ? present.map((row) => (idOf(row) === id ? edit(row) : row)) : present;
        return { ...tables, [table]: isThere || initial === undefined ? next : [...next, edit(initial)] };
      });
      return changed;
    },
    async remove(id) {
      let isFound = false;
      await source.change((tables) => {
        isFound = has(tables, id);
        if (!isFound) return tables;
        const present: readonly Row[] = tables[table];
        return { ...tables, [table]: present.filter((row) => idOf(row) !== id), ...alsoRemove?.(tables, id) };
      });
      return isFound;
    },
  };
}

function createAssignmentRepository(
  source: TableSource,
  table: 'keyAssignments' | 'memberAssignments',
): AssignmentRepository {
  const rows = (): readonly AssignmentRecord[] => source.read()[table];
  return {
    get: createLookUp(rows, ({ subjectId }) => subjectId),
    list: rows,
    async assign(assignments) {
      let count = 0;
      await source.change((tables) => {
        const guardrails = new Set(tables.guardrails.map(idOf));
        const bySubject = new Map(
          assignments.flatMap((row) => (guardrails.has(row.guardrailId) ? [[row.subjectId, row] as const] : [])),
        );
        count = bySubject.size;
        const kept = tables[table].filter(({ subjectId }) => !bySubject.has(subjectId));
        return { ...tables, [table]: [...kept, ...bySubject.values()] };
      });
      return count;
    },
    async unassign(guardrailId, subjectIds) {
      const subjects = new Set(subjectIds);
      let count = 0;
      await source.change((tables) => {
        const kept = tables[table].filter((row) => row.guardrailId !== guardrailId || !subjects.has(row.subjectId));
        count = tables[table].length - kept.length;
        return { ...tables, [table]: kept };
      });
      return count;
    },
  };
}

function withoutSubject(assignments: readonly AssignmentRecord[], id: string): readonly AssignmentRecord[] {
  return assignments.filter(({ subjectId }) => subjectId !== id);
}

/** Finds rows by id. The index is rebuilt when the table has been replaced, which is rare. */
function createLookUp<Row>(rows: () => readonly Row[], idOf: (row: Row) => string): (id: string) => Row | undefined {
  let indexed: readonly Row[] | undefined;
  let byId = new Map<string, Row>();
  return (id) => {
    const present = rows();
    if (present !== indexed) {
      byId = new Map(present.map((row) => [idOf(row), row]));
      indexed = present;
    }
    return byId.get(id);
  };
}

/** One fact about a row: what it is now, or that it is gone. */
export type RowChange<Row> = { readonly put: Row } | { readonly removed: string };

interface RowRepositoryOptions<Row> {
  /** The existing rows, oldest first. */
  readonly rows?: Iterable<Row> | undefined;
  /** Makes a change durable; what it rejects with has not happened. Called for one change at a time. */
  readonly write: (change: RowChange<Row>) => Promise<void>;
}

/** Rows in memory, each change persisted separately: for tables too large to be written whole at each change. */
export function createRowRepository<Row extends { readonly id: string }>({
  rows = [],
  write,
}: RowRepositoryOptions<Row>): Repository<Row> {
  const byId = new Map<string, Row>();
  for (const row of rows) byId.set(row.id, row);
  // Each change is made to what the one before has made durable.
  const inTurn = createTurns();
  const put = async (row: Row): Promise<Row> => {
    await write({ put: row });
    byId.set(row.id, row);
    return row;
  };
  return {
    get: (id) => byId.get(id),
    list: () => [...byId.values()],
    insert: (row) =>
      inTurn(async () => {
        if (byId.has(row.id)) throw new Error(`A row with the id ${row.id} exists`);
        await put(row);
      }),
    update: (id, change, initial) =>
      inTurn(async () => {
        const present = byId.get(id) ?? initial;
        return present === undefined ? undefined : put(change(present));
      }),
    remove: (id) =>
      inTurn(async () => {
        if (!byId.has(id)) return false;
        await write({ removed: id });
        return byId.delete(id);
      }),
  };
}

/** Keeps what became of the deliveries of the latest generations in memory. */
export function createDeliveryBook(maxGenerations: number): DeliveryLog {
  /** In order of their first attempt. */
  const held = new Map<string, DeliveryAttempt[]>();
  return {
    async append(attempt) {
      for (const id of attempt.generationIds) {
        const known = held.get(id);
        if (known === undefined) held.set(id, [attempt]);
        else known.push(attempt);
      }
      for (const id of held.keys()) {
        if (held.size <= maxGenerations) break;
        held.delete(id);
      }
    },
    of: (generationId) => held.get(generationId) ?? [],
  };
}
