import type { AssignmentRepository, Repository, Store, TableRepository } from '../stores/store.ts';
import type { AuditedTable } from './redact.ts';

/** What has become of a row. */
export interface RowChange {
  readonly table: AuditedTable;
  readonly id: string;
  /** Null where there was none. */
  readonly before: object | null;
  /** Null where there is none any more. */
  readonly after: object | null;
}

type Note = (change: RowChange) => void;

/** Repositories of a store, with the same ones that tell what they change. */
type Tracked = { -readonly [Name in AuditedTable]: Store[Name] };

/**
 * The store as it is, but for its tables, which tell each change once it is durable. Rows of calls are not followed:
 * they hold what was said.
 */
export function trackChanges(store: Store, note: Note): Store {
  const byId = ({ id }: { readonly id: string }): string => id;
  const tracked: Tracked = {
    keys: trackTable(store.keys, { table: 'keys', idOf: ({ hash }) => hash, note }),
    members: trackTable(store.members, { table: 'members', idOf: byId, note }),
    guardrails: trackTable(store.guardrails, { table: 'guardrails', idOf: byId, note }),
    workspaces: trackTable(store.workspaces, { table: 'workspaces', idOf: byId, note }),
    destinations: trackTable(store.destinations, { table: 'destinations', idOf: byId, note }),
    providers: trackTable(store.providers, { table: 'providers', idOf: byId, note }),
    models: trackTable(store.models, { table: 'models', idOf: byId, note }),
    byokKeys: trackTable(store.byokKeys, { table: 'byokKeys', idOf: byId, note }),
    scimGroups: trackTable(store.scimGroups, { table: 'scimGroups', idOf: byId, note }),
    prompts: { ...trackTable(store.prompts, { table: 'prompts', idOf: byId, note }), ...headsOf(store.prompts) },
    presets: {
      ...trackTable(store.presets, { table: 'presets', idOf: byId, note }),
      ...(store.presets.listHeads && { listHeads: (id: string) => store.presets.listHeads?.(id) ?? [] }),
    },
    keyAssignments: trackAssignments(store.keyAssignments, 'keyAssignments', note),
    memberAssignments: trackAssignments(store.memberAssignments, 'memberAssignments', note),
    settings: {
      get: () => store.settings.get(),
      async update(change) {
        const was: object[] = [];
        const after = await store.settings.update((settings) => {
          was[0] = settings;
          return change(settings);
        });
        note({ table: 'settings', id: 'settings', before: was[0] ?? {}, after });
        return after;
      },
    },
  };
  // The store may be an object of a class, whose methods know it by `this`.
  return new Proxy(store, {
    get(target, name) {
      if (Object.hasOwn(tracked, name)) return tracked[name as AuditedTable];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

const headsOf = (prompts: Store['prompts']): Pick<Store['prompts'], 'listHeads'> =>
  prompts.listHeads === undefined ? {} : { listHeads: () => prompts.listHeads?.() ?? [] };

interface Tracking<Row> {
  readonly table: AuditedTable;
  readonly idOf: (row: Row) => string;
  readonly note: Note;
}

function trackTable<Row extends object>(
  rows: Repository<Row> | TableRepository<Row>,
  { table, idOf, note }: Tracking<Row>,
): TableRepository<Row> {
  return {
    get: (id) => rows.get(id),
    list: () => rows.list(),
    async insert(row, check) {
      await (rows as TableRepository<Row>).insert(row, check);
      note({ table, id: idOf(row), before: null, after: row });
    },
    async update(id, change, initial) {
      // It may be called more than once: the last call counts.
      const was: Row[] = [];
      const after = await (rows as TableRepository<Row>).update(
        id,
        (row, others) => {
          was[0] = row;
          return change(row, others);
        },
        initial,
      );
      const before = was[0] ?? null;
      if (after !== undefined) note({ table, id, before: before === initial ? null : before, after });
      return after;
    },
    async remove(id) {
      const before = await rows.get(id);
      const isRemoved = await rows.remove(id);
      if (isRemoved) note({ table, id, before: before ?? {}, after: null });
      return isRemoved;
    },
  };
}

/** The change of many at once is one change, by subject: which guardrail each had, and which it has. */
function trackAssignments(
  rows: AssignmentRepository,
  table: 'keyAssignments' | 'memberAssignments',
  note: Note,
): AssignmentRepository {
  const guardrailsOf = async (subjectIds: readonly string[]): Promise<Record<string, string | null>> => {
    const found = await Promise.all(
      subjectIds.map(async (id) => [id, (await rows.get(id))?.guardrailId ?? null] as const),
    );
    return Object.fromEntries(found);
  };
  const noteAround = async (
    guardrailId: string,
    subjectIds: readonly string[],
    change: () => Promise<number>,
  ): Promise<number> => {
    const before = await guardrailsOf(subjectIds);
    const count = await change();
    if (count > 0) note({ table, id: guardrailId, before, after: await guardrailsOf(subjectIds) });
    return count;
  };
  return {
    get: (subjectId) => rows.get(subjectId),
    list: () => rows.list(),
    assign: (assignments) =>
      noteAround(
        assignments[0]?.guardrailId ?? '',
        assignments.map(({ subjectId }) => subjectId),
        () => rows.assign(assignments),
      ),
    unassign: (guardrailId, subjectIds) =>
      noteAround(guardrailId, subjectIds, () => rows.unassign(guardrailId, subjectIds)),
  };
}
