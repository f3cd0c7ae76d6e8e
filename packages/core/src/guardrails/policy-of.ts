import { defaultGuardrailIdOf } from '../account/account.ts';
import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import { type Awaitable, whenAllKnown, whenKnown } from '../foundation/awaitable.ts';
import type { Principal } from '../http/request.ts';
import type { AssignmentRecord, Store } from '../stores/store.ts';
import type { Guardrail } from '../wire/guardrails.ts';
import type { GuardrailScope } from '../wire/routing.ts';
import type { GuardrailLayer } from './effective-policy.ts';
import type { Policy } from './policy.ts';
import type { PolicyCatalog } from './to-narrowings.ts';

/**
 * Returns the policy of a caller; null when no guardrail applies. Synchronous where the store has its tables in memory.
 * Rejects with `permission_denied` when a guardrail cannot be applied.
 */
export type PolicyOf = (principal: Principal) => Awaitable<Policy | null>;

type GuardrailStore = Pick<Store, 'guardrails' | 'keyAssignments' | 'memberAssignments'>;

/** Limit of cached policies, one for each set of guardrails. */
const MAX_POLICIES = 500;

interface CachedPolicy {
  readonly layers: readonly GuardrailLayer[];
  /** A promise while the policy is being compiled; a rejected one is retained, so that every call is refused. */
  policy: Awaitable<Policy>;
}

/** Creates the look-up. Guardrails are read for every call; the compiled policy is cached until they change. */
export function createPolicyOf(store: GuardrailStore, catalog: PolicyCatalog): PolicyOf {
  const cached = new Map<string, CachedPolicy>();

  const compile = (layers: readonly GuardrailLayer[]): Awaitable<Policy> => {
    const key = layers.map(({ scope, guardrail }) => `${scope} ${guardrail.id}`).join();
    const known = cached.get(key);
    if (known !== undefined && isSame(known.layers, layers)) return known.policy;
    // Late, because the engine of patterns is large and most processes never need it.
    const policy = import('./compile-policy.ts').then(({ compilePolicy }) => compilePolicy(layers, catalog));
    const entry: CachedPolicy = { layers, policy };
    cached.delete(key);
    cached.set(key, entry);
    if (cached.size > MAX_POLICIES) cached.delete(cached.keys().next().value as string);
    return policy.then((compiled) => (entry.policy = compiled));
  };
  const toPolicy = (layers: readonly GuardrailLayer[]): Awaitable<Policy | null> =>
    layers.length === 0 ? null : compile(layers);

  return (principal) => whenKnown(findLayers(principal, store), toPolicy);
}

/** A store in memory returns the same object until a guardrail changes; from others the contents are compared. */
function isSame(before: readonly GuardrailLayer[], now: readonly GuardrailLayer[]): boolean {
  return before.every(
    ({ guardrail }, index) =>
      guardrail === now[index]?.guardrail || JSON.stringify(guardrail) === JSON.stringify(now[index]?.guardrail),
  );
}

/** The guardrails that apply to a caller: their key's, their own and their workspace's default. One may occur twice. */
export function findLayers(principal: Principal, store: GuardrailStore): Awaitable<readonly GuardrailLayer[]> {
  const { id, userId, workspaceId = DEFAULT_WORKSPACE_ID } = principal;
  const key = store.keyAssignments.get(id);
  const member = userId === undefined ? undefined : store.memberAssignments.get(userId);
  const workspace = store.guardrails.get(defaultGuardrailIdOf(workspaceId));
  return whenAllKnown([key, member, workspace], (...found) => findAssigned(...found, store));
}

const NONE: readonly GuardrailLayer[] = [];

function findAssigned(
  key: AssignmentRecord | undefined,
  member: AssignmentRecord | undefined,
  workspace: Guardrail | undefined,
  store: GuardrailStore,
): Awaitable<readonly GuardrailLayer[]> {
  if (key === undefined && member === undefined && workspace === undefined) return NONE;
  const ofKey = key === undefined ? undefined : store.guardrails.get(key.guardrailId);
  const ofMember = member === undefined ? undefined : store.guardrails.get(member.guardrailId);
  return whenAllKnown([ofKey, ofMember], (...found) => toLayers(...found, workspace));
}

function toLayers(
  key: Guardrail | undefined,
  member: Guardrail | undefined,
  workspace: Guardrail | undefined,
): readonly GuardrailLayer[] {
  const layer = (scope: GuardrailScope, guardrail: Guardrail | undefined): readonly GuardrailLayer[] =>
    guardrail === undefined ? NONE : [{ scope, guardrail }];
  return [...layer('api-key', key), ...layer('member', member), ...layer('workspace', workspace)];
}
