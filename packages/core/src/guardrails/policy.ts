import { defaultGuardrailIdOf } from '../account/account.ts';
import { ORGANIZATION_ID } from '../account/workspaces.ts';
import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import type { EndpointConstraint } from '../calls/call-kind.ts';
import { type Awaitable, whenAllKnown, whenKnown } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import { createUuid, type Platform } from '../foundation/platform.ts';
import type { Principal } from '../http/request.ts';
import type { AssignmentRecord, Store } from '../stores/store.ts';
import type { Guardrail, KeyAssignment, MemberAssignment } from '../wire/guardrails.ts';
import type { GuardrailScope } from '../wire/routing.ts';
import {
  combineGuardrails,
  type EffectiveBudget,
  type GuardrailLayer,
  onlyModels,
  type PolicyCatalog,
  toConstraints,
} from './effective-policy.ts';
import type { InputFilters, OutputFilters } from './filters/compile-filters.ts';
import { toUnavailableError } from './verdict.ts';

/** All demands of guardrails on the calls of one caller, compiled. */
export interface Policy {
  readonly constraints: readonly EndpointConstraint[];
  readonly input: InputFilters | null;
  readonly output: OutputFilters | null;
  /** Each counts on its own, for the key, the member or the workspace by its scope. */
  readonly budgets: readonly EffectiveBudget[];
  /** What it was compiled from: equal texts are equal policies, in other processes too. */
  readonly content: string;
}

/**
 * Returns the policy of a caller; null when no guardrail applies. Synchronous where the store has its tables in memory.
 * Rejects with `permission_denied` when a guardrail cannot be applied.
 */
export type PolicyOf = (principal: Principal) => Awaitable<Policy | null>;

/** The guardrails that apply to a caller, as `findLayers` finds them. */
export type LayersOf = (principal: Principal) => Awaitable<readonly GuardrailLayer[]>;

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
    const policy = compilePolicy(layers, catalog);
    const entry: CachedPolicy = { layers, policy };
    cached.delete(key);
    cached.set(key, entry);
    if (cached.size > MAX_POLICIES) cached.delete(cached.keys().next().value as string);
    return policy.then((compiled) => (entry.policy = compiled));
  };
  const toPolicy = (layers: readonly GuardrailLayer[]): Awaitable<Policy | null> =>
    layers.length === 0 ? null : compile(layers);

  return (principal) => {
    const policy = whenKnown(findLayers(principal, store), toPolicy);
    const { allowedModels } = principal;
    if (allowedModels === undefined) return policy;
    return whenKnown(policy, (compiled) => withAllowedModels(compiled ?? NO_DEMANDS, allowedModels, catalog));
  };
}

const NO_DEMANDS: Policy = { constraints: [], input: null, output: null, budgets: [], content: '' };

/** The policy narrowed to the models that the caller itself may use, whatever guardrails say. */
function withAllowedModels(policy: Policy, models: readonly string[], catalog: PolicyCatalog): Policy {
  return {
    ...policy,
    constraints: [...policy.constraints, onlyModels(models, catalog)],
    content: JSON.stringify([policy.content, models]),
  };
}

/** A store in memory returns the same object until a guardrail changes; from others the contents are compared. */
function isSame(before: readonly GuardrailLayer[], now: readonly GuardrailLayer[]): boolean {
  return before.every(
    ({ guardrail }, index) =>
      guardrail === now[index]?.guardrail || JSON.stringify(guardrail) === JSON.stringify(now[index]?.guardrail),
  );
}

/**
 * The guardrails that apply to a caller: their key's, their own and their workspace's default. One may occur twice.
 * Rejects with `permission_denied` where the guardrail that the caller was given is gone.
 */
export function findLayers(principal: Principal, store: GuardrailStore): Awaitable<readonly GuardrailLayer[]> {
  const { id, userId, workspaceId = DEFAULT_WORKSPACE_ID, guardrailId } = principal;
  const key = guardrailId === undefined ? store.keyAssignments.get(id) : { guardrailId };
  const member = userId === undefined ? undefined : store.memberAssignments.get(userId);
  const workspace = store.guardrails.get(defaultGuardrailIdOf(workspaceId));
  const layers = whenAllKnown([key, member, workspace], (...found) => findAssigned(...found, store));
  if (guardrailId === undefined) return layers;
  return whenKnown(layers, (found) => {
    if (found.some(({ scope }) => scope === 'api-key')) return found;
    throw new GatewayError('permission_denied', `The guardrail ${guardrailId} of the caller has been deleted`);
  });
}

const NONE: readonly GuardrailLayer[] = [];

type Assigned = Pick<AssignmentRecord, 'guardrailId'> | undefined;

function findAssigned(
  key: Assigned,
  member: Assigned,
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

/** New assignments of a guardrail, one a subject, made by the caller. */
export function toAssignments(
  guardrailId: string,
  subjectIds: readonly string[],
  { principal, platform }: { readonly principal: Principal; readonly platform: Platform },
): readonly AssignmentRecord[] {
  const createdAt = new Date(platform.now()).toISOString();
  return [...new Set(subjectIds)].map((subjectId) => ({
    id: createUuid(platform),
    guardrailId,
    subjectId,
    assignedBy: principal.userId ?? principal.id,
    createdAt,
  }));
}

/** The keys that a guardrail holds for, or, without one, all assignments to keys. */
export async function listKeyAssignmentBodies(
  { keys, keyAssignments }: Pick<Store, 'keys' | 'keyAssignments'>,
  guardrailId: string | undefined,
): Promise<readonly KeyAssignment[]> {
  const byHash = new Map((await keys.list()).map((key) => [key.hash, key]));
  return (await keyAssignments.list()).flatMap((assignment) => {
    const key = byHash.get(assignment.subjectId);
    if (key === undefined || !isOf(assignment, guardrailId)) return [];
    return [{ ...toCommon(assignment), key_hash: key.hash, key_name: key.name, key_label: key.label }];
  });
}

/** The members that a guardrail holds for, or, without one, all assignments to members. */
export async function listMemberAssignmentBodies(
  { memberAssignments }: Pick<Store, 'memberAssignments'>,
  guardrailId: string | undefined,
): Promise<readonly MemberAssignment[]> {
  const found = (await memberAssignments.list()).filter((assignment) => isOf(assignment, guardrailId));
  return found.map((assignment) => ({
    ...toCommon(assignment),
    user_id: assignment.subjectId,
    organization_id: ORGANIZATION_ID,
  }));
}

function isOf(assignment: AssignmentRecord, guardrailId: string | undefined): boolean {
  return guardrailId === undefined || assignment.guardrailId === guardrailId;
}

function toCommon({
  id,
  guardrailId,
  assignedBy,
  createdAt,
}: AssignmentRecord): Omit<KeyAssignment, 'key_hash' | 'key_name' | 'key_label'> {
  return { id, guardrail_id: guardrailId, assigned_by: assignedBy ?? 'unknown', created_at: createdAt };
}

/** Compiles a policy. Rejects with `permission_denied` when one of its filters cannot be compiled. */
export async function compilePolicy(layers: readonly GuardrailLayer[], catalog: PolicyCatalog): Promise<Policy> {
  const effective = combineGuardrails(layers);
  const { rules, filters, budgets } = effective;
  // Late, because the engine of patterns is large and most processes never need it.
  const { compileInputFilters, compileOutputFilters } = await import('./filters/compile-filters.ts');
  try {
    return {
      constraints: toConstraints(rules, catalog),
      input: compileInputFilters(filters),
      output: compileOutputFilters(filters),
      budgets,
      content: JSON.stringify(effective),
    };
  } catch (error) {
    throw toUnavailableError('Request', error);
  }
}

/** A guardrail by id. Throws `not_found`, for what is no UUID as well. */
export async function findGuardrail(
  id: string | undefined,
  { store }: { readonly store: Pick<Store, 'guardrails'> },
): Promise<Guardrail> {
  const guardrail = await store.guardrails.get(id ?? '');
  if (guardrail === undefined) throw noGuardrail(id);
  return guardrail;
}

export function noGuardrail(id: string | undefined): GatewayError {
  return new GatewayError('not_found', `There is no guardrail ${(id ?? '').slice(0, 100)}`);
}
