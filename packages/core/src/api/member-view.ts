import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Principal } from '../http/request.ts';
import type { GenerationFilter, GenerationReach } from '../stores/generation-queries.ts';
import type { GenerationPage, GenerationRecord, GenerationRepository } from '../stores/generations.ts';
import { createActivityBook } from '../stores/kit/aggregates.ts';
import { createSessionBook } from '../stores/kit/sessions.ts';
import type { Repository, Store, TableRepository } from '../stores/store.ts';
import type { Reach } from './permissions.ts';

/** What a member reaches, and who that is. */
export interface MemberReach {
  readonly userId: string;
  readonly own: boolean;
  /** Workspaces of which everything is reached. */
  readonly workspaceIds: ReadonlySet<string>;
  /** Those that the member belongs to, with the default one, which has everybody. */
  readonly memberOf: ReadonlySet<string>;
}

/** The same in the form that one request needs. Throws `permission_denied` for a member without an id. */
export function toMemberReach({ userId, member }: Principal, reach: Exclude<Reach, 'all'>): MemberReach {
  if (userId === undefined) {
    throw new GatewayError('permission_denied', 'The sign-in of the host names no member, so nothing belongs to you');
  }
  return { userId, ...reach, memberOf: new Set([DEFAULT_WORKSPACE_ID, ...(member?.workspaces.keys() ?? [])]) };
}

/** Whether a thing counts for the member, or is in one of their workspaces. */
export const isReached = (
  {
    userId,
    workspaceId,
  }: { readonly userId?: string | null | undefined; readonly workspaceId?: string | null | undefined },
  reach: MemberReach,
): boolean => (reach.own && userId === reach.userId) || reach.workspaceIds.has(workspaceId ?? DEFAULT_WORKSPACE_ID);

/** Whether the member makes and sees things of their own in a workspace, or all of it is theirs. */
export const reachesWorkspace = (id: string, { own, workspaceIds, memberOf }: MemberReach): boolean =>
  workspaceIds.has(id) || (own && memberOf.has(id));

export const refuse = (): never => {
  throw new GatewayError(
    'permission_denied',
    'Your role does not reach this; ask an administrator of the organization',
  );
};

/** What an operation that is not for everybody's eyes must not touch: each of its methods throws. */
const REFUSED = new Proxy({}, { get: () => refuse }) as never;

/**
 * The store as a member reaches it: what is not theirs does not exist there, whatever is asked. What could not be
 * narrowed throws `permission_denied`, so that an operation that is permitted too much shows nothing. `members` are those
 * whom the member sees.
 */
export function narrowStore(store: Store, reach: MemberReach, members?: Store['members']): Store {
  const keys = narrowTable(store.keys, (key) => {
    const isOwn = reach.own && key.creatorUserId === reach.userId;
    return isOwn || (key.kind === 'api' && reach.workspaceIds.has(key.workspaceId));
  });
  const guardrails = narrowGuardrails(store, reach, keys);
  const narrowed: Partial<Store> = {
    keys,
    guardrails,
    workspaces: narrowTable(store.workspaces, ({ id }) => reachesWorkspace(id, reach)),
    byokKeys: narrowTable(store.byokKeys, ({ workspace_id: id }) => reach.workspaceIds.has(id)),
    keyAssignments: {
      async get(hash) {
        return (await keys.get(hash)) === undefined ? undefined : store.keyAssignments.get(hash);
      },
      async list() {
        const [all, own] = [await store.keyAssignments.list(), await guardrails.list()];
        const ids = new Set(own.map(({ id }) => id));
        const found = [];
        for (const one of all) if (ids.has(one.guardrailId) && (await keys.get(one.subjectId))) found.push(one);
        return found;
      },
      // It would replace what the organization has assigned.
      async assign(assignments) {
        for (const { subjectId } of assignments) {
          const before = await store.keyAssignments.get(subjectId);
          if (before !== undefined && (await guardrails.get(before.guardrailId)) === undefined) refuse();
        }
        return store.keyAssignments.assign(assignments);
      },
      async unassign(guardrailId, hashes) {
        const own = [];
        for (const hash of hashes) if (await keys.get(hash)) own.push(hash);
        return store.keyAssignments.unassign(guardrailId, own);
      },
    },
    presets: narrowRows(store.presets, ({ preset, workspaceId }) =>
      isReached({ userId: preset.creator_user_id, workspaceId }, reach),
    ),
    videoJobs: narrowRows(store.videoJobs, (job) => isReached(job, reach)),
    generations: narrowGenerations(store.generations, reach, keys),
    settings: { get: () => store.settings.get(), update: refuse },
    ...(members !== undefined && { members }),
  };
  return new Proxy(store, {
    get: (target, name) =>
      Object.hasOwn(narrowed, name)
        ? narrowed[name as keyof Store]
        : typeof Reflect.get(target, name, target) === 'object'
          ? REFUSED
          : undefined,
  });
}

/** A repository of which other rows do not exist. Rows cannot be added to it. */
function narrowRows<Row>(rows: Repository<Row>, isVisible: (row: Row) => boolean): Repository<Row> {
  return {
    async get(id) {
      const row = await rows.get(id);
      return row !== undefined && isVisible(row) ? row : undefined;
    },
    list: async () => (await rows.list()).filter(isVisible),
    insert: async () => refuse(),
    update: async () => refuse(),
    remove: async () => refuse(),
  };
}

/** The same with changes, of which none reaches another row, or makes a row another's. */
function narrowTable<Row>(rows: TableRepository<Row>, isVisible: (row: Row) => boolean): TableRepository<Row> {
  const keepVisible = (row: Row): Row => (isVisible(row) ? row : refuse());
  const narrowed = narrowRows(rows, isVisible);
  return {
    ...narrowed,
    insert: async (row, check) => rows.insert(keepVisible(row), check),
    async update(id, change, initial) {
      const known = (await rows.get(id)) ?? initial;
      if (known === undefined || !isVisible(known)) return undefined;
      return rows.update(id, (row, others) => keepVisible(change(keepVisible(row), others)), initial);
    },
    remove: async (id) => (await narrowed.get(id)) !== undefined && rows.remove(id),
  };
}

/**
 * Shows the guardrails of the member's workspaces. What the organization has assigned beyond them is not theirs to
 * change.
 */
function narrowGuardrails(
  { guardrails, keyAssignments, memberAssignments, keys: allKeys }: Store,
  reach: MemberReach,
  keys: Store['keys'],
): Store['guardrails'] {
  const narrowed = narrowTable(guardrails, ({ workspace_id: id }) =>
    reach.workspaceIds.has(id ?? DEFAULT_WORKSPACE_ID),
  );
  const refuseAssigned = async (id: string): Promise<void> => {
    // A guardrail of a member holds in all workspaces.
    if ((await memberAssignments.list()).some(({ guardrailId }) => guardrailId === id)) refuse();
    for (const { guardrailId, subjectId } of await keyAssignments.list()) {
      if (guardrailId !== id || (await keys.get(subjectId)) !== undefined) continue;
      if ((await allKeys.get(subjectId)) !== undefined) refuse();
    }
  };
  return {
    ...narrowed,
    async update(id, change, initial) {
      if ((await narrowed.get(id)) !== undefined) await refuseAssigned(id);
      return narrowed.update(id, change, initial);
    },
    async remove(id) {
      if ((await narrowed.get(id)) !== undefined) await refuseAssigned(id);
      return narrowed.remove(id);
    },
  };
}

const FOREVER_MS = Date.UTC(9999, 0);

/**
 * A page of what comes after a record in the list by time. A store that has no time for all of a span says how far it has
 * looked, and is asked again from there: what it has not looked at may be all that the member has. Throws
 * `provider_overloaded` where it gets no further.
 */
async function pageAfter(
  last: GenerationRecord | undefined,
  { limit, filter }: { readonly limit: number; readonly filter: GenerationFilter },
  { sorted }: Pick<GenerationRepository, 'sorted'>,
): Promise<GenerationPage> {
  const createdAtMs = last === undefined ? FOREVER_MS : Date.parse(last.generation.created_at);
  const after = last && { value: createdAtMs, createdAtMs, id: last.generation.id };
  const records: GenerationRecord[] = [];
  let createdBeforeMs = Math.min(filter.createdBeforeMs ?? FOREVER_MS, createdAtMs + 1);
  for (;;) {
    const part = { limit: limit - records.length, after, filter: { ...filter, createdBeforeMs } };
    const { records: found, next, searchedFromMs } = await sorted({ sort: 'time', order: 'desc', ...part });
    records.push(...found);
    if (next !== null) return { records, next: next.id };
    if (searchedFromMs === undefined) return { records, next: null };
    if (records.length === limit) return { records, next: records.at(-1)?.generation.id ?? null };
    if (searchedFromMs >= createdBeforeMs)
      throw new GatewayError('provider_overloaded', 'The store is too slow at the moment; try again shortly', {
        retryAfterSeconds: 1,
      });
    createdBeforeMs = searchedFromMs;
  }
}

function narrowGenerations(
  generations: GenerationRepository,
  reach: MemberReach,
  keys: TableRepository<{ readonly hash: string }>,
): GenerationRepository {
  const seen: GenerationReach = { userId: reach.own ? reach.userId : null, workspaceIds: reach.workspaceIds };
  const isOwnAlone = reach.own && reach.workspaceIds.size === 0;
  const own: ReadonlySet<string> = new Set([reach.userId]);
  /** Stores keep sums of a member, and none of a reach. */
  const narrow = (filter: GenerationFilter = {}): GenerationFilter => {
    if (!isOwnAlone) return { ...filter, reach: seen };
    return { ...filter, userIds: filter.userIds?.has(reach.userId) === false ? new Set() : own };
  };
  const isVisible = ({ generation, userId }: GenerationRecord): boolean =>
    isReached({ userId, workspaceId: generation.workspace_id }, reach);
  const keepVisible = (record: GenerationRecord): GenerationRecord => (isVisible(record) ? record : refuse());
  const shown = (record: GenerationRecord | undefined): GenerationRecord | undefined =>
    record !== undefined && isVisible(record) ? record : undefined;
  const get = async (id: string): Promise<GenerationRecord | undefined> =>
    shown((await generations.get(id)) ?? (await generations.getLate?.(id)));
  const scanAll = (look: Parameters<GenerationRepository['scan']>[1], fromMs = 0): Promise<void> =>
    generations.scan({ fromMs, toMs: FOREVER_MS, reach: seen }, look);
  return {
    append: async () => refuse(),
    async update(record) {
      const known = await get(record.generation.id);
      return known !== undefined && isVisible(record) && generations.update(record);
    },
    ...(generations.change !== undefined &&
      ({
        async change(id, change) {
          if ((await get(id)) === undefined) return false;
          return generations.change?.(id, (record) => keepVisible(change(keepVisible(record)))) ?? false;
        },
      } satisfies Pick<GenerationRepository, 'change'>)),
    get,
    getContent: async (id) => ((await get(id)) === undefined ? undefined : generations.getContent(id)),
    getPreview: async (id) => ((await get(id)) === undefined ? undefined : generations.getPreview(id)),
    deleteContent: async (id) => (await get(id)) !== undefined && generations.deleteContent(id),
    // Its own pages go on after whatever was looked at, which may be a call of another.
    async page({ limit, before, filter }) {
      const last = before === undefined ? undefined : await get(before);
      if (before !== undefined && last === undefined) return { records: [], next: null };
      return pageAfter(last, { limit, filter: narrow(filter) }, generations);
    },
    sorted: (query) => generations.sorted({ ...query, filter: narrow(query.filter) }),
    // A store adds up all calls of a session, and others may have used its name.
    async sessions(query) {
      const book = createSessionBook<{ readonly id: string }>(query);
      await scanAll((generation) => {
        const record = generation.readRecord();
        book.add(generation.readFacts(), { id: record.generation.id }, () => record);
      });
      return book.read();
    },
    histogram: (query) => generations.histogram({ ...query, filter: narrow(query.filter) }),
    facets: (filter) => generations.facets(narrow(filter)),
    scan: (query, look) => generations.scan({ ...query, reach: seen }, look),
    // The sums of stores know keys alone, of which some are deleted.
    async activity({ since, principalIds }) {
      const book = createActivityBook();
      await scanAll(
        (generation) => {
          if (principalIds?.has(generation.readFacts().principalId) !== false) book.add(generation.readRecord());
        },
        Date.parse(`${since}T00:00:00Z`),
      );
      return book.sums();
    },
    completeFromMs: () => generations.completeFromMs?.(),
    count: async () => (await generations.facets(narrow())).total,
    spentNanoUsd: async (id) => ((await keys.get(id)) === undefined ? 0 : generations.spentNanoUsd(id)),
    async spent(query) {
      const { principalId, userId, workspaceId } = query;
      const isOwnMember = reach.own && (userId === reach.userId || principalId === `member:${reach.userId}`);
      const isOwnKey = principalId !== undefined && (await keys.get(principalId)) !== undefined;
      const isOwnWorkspace = workspaceId !== undefined && reach.workspaceIds.has(workspaceId);
      return isOwnMember || isOwnKey || isOwnWorkspace ? generations.spent(query) : refuse();
    },
    listSpending: () => refuse(),
    carrySpending: async () => refuse(),
  };
}
