import type { ConfiguredKeys } from '../auth/authenticate.ts';
import type { AuthenticateCaller } from '../auth/authenticate.ts';
import type { FindKeyNames, MemberDirectory } from '../auth/keys.ts';
import type { OpenCalls } from '../dispatch/open-calls.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { GatewayRequest, Principal } from '../http/request.ts';
import type { Store } from '../stores/store.ts';
import { isReached, type MemberReach, narrowStore, refuse, toMemberReach } from './member-view.ts';
import { reachOf, refuseRole } from './permissions.ts';

/** The parts of a gateway by which an operation reads what belongs to somebody. */
export interface ReachedParts {
  readonly store: Store;
  readonly members: MemberDirectory;
  readonly authenticate: AuthenticateCaller;
  readonly findKeyNames: FindKeyNames;
  readonly configuredKeys: ConfiguredKeys;
  readonly openCalls: OpenCalls;
  /** What the operation reaches; undefined for everything. */
  readonly reach?: MemberReach | undefined;
}

/**
 * The parts with which a member who has signed in performs an operation: all of them, or such as show nothing of others.
 * Throws `permission_denied` where the member's role does not permit it. The only place that decides it.
 */
export function admitMember<Parts extends ReachedParts>(
  operationId: string,
  principal: Principal,
  parts: Parts,
): Parts {
  const reach = reachOf(principal, operationId);
  if (reach === null) throw refuseRole(principal, operationId);
  const authenticate = stillAdmitted(operationId, principal, parts.authenticate);
  if (reach === 'all') return withParts(parts, { authenticate });
  const own = toMemberReach(principal, reach);
  const { openCalls, findKeyNames } = parts;
  const members = narrowMembers(parts, own);
  // Whoever asks whether the host has members of its own compares the two.
  const store = narrowStore(parts.store, own, parts.members === parts.store.members ? members : undefined);
  const states: OpenCalls['states'] = () =>
    openCalls
      .states()
      .filter(({ call: { principal: caller } }) =>
        isReached({ userId: caller.userId, workspaceId: caller.workspaceId }, own),
      );
  const isOwn = (id: string): boolean => states().some(({ call }) => call.id === id);
  return withParts(parts, {
    store,
    authenticate,
    reach: own,
    members,
    configuredKeys: async () => new Map(),
    async findKeyNames(hashes) {
      const visible = new Set<string>();
      for (const hash of hashes) if ((await store.keys.get(hash)) !== undefined) visible.add(hash);
      return findKeyNames(visible);
    },
    openCalls: {
      ...openCalls,
      states,
      has: isOwn,
      interrupt: (id, error) => isOwn(id) && openCalls.interrupt(id, error),
    },
  });
}

/** With the getters as they are: what they return may change meanwhile. */
const withParts = <Parts extends ReachedParts>(parts: Parts, own: Partial<ReachedParts>): Parts =>
  Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(parts), ...Object.getOwnPropertyDescriptors(own) },
  ) as Parts;

/** Asked again while a long response lasts: what its caller may see must not have changed meanwhile. */
function stillAdmitted(operationId: string, before: Principal, authenticate: AuthenticateCaller): AuthenticateCaller {
  const reached = describe(before, operationId);
  return async (request: GatewayRequest) => {
    const principal = await authenticate(request);
    if (describe(principal, operationId) === reached) return principal;
    throw new GatewayError('permission_denied', 'Your role was changed; ask again');
  };
}

function describe(principal: Principal, operationId: string): string {
  const reach = reachOf(principal, operationId);
  if (reach === null || reach === 'all') return `${principal.id} ${reach}`;
  return JSON.stringify([principal.id, reach.own, [...reach.workspaceIds].toSorted()]);
}

/** The member, and those of the workspaces that are all theirs. */
function narrowMembers(
  { members, store }: Pick<ReachedParts, 'members' | 'store'>,
  reach: MemberReach,
): Store['members'] {
  const visibleIds = async (): Promise<ReadonlySet<string>> => {
    const ids = new Set([reach.userId]);
    for (const { id, members: memberships = [] } of await store.workspaces.list()) {
      if (reach.workspaceIds.has(id)) for (const { user_id: userId } of memberships) ids.add(userId);
    }
    return ids;
  };
  return {
    get: async (id) => ((await visibleIds()).has(id) ? members.get(id) : undefined),
    async list() {
      const ids = await visibleIds();
      return (await members.list()).filter(({ id }) => ids.has(id));
    },
    insert: async () => refuse(),
    update: async () => refuse(),
    remove: async () => refuse(),
  };
}
