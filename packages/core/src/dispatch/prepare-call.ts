import { withWorkspaceDefaults } from '../account/workspaces.ts';
import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import { withAskedModel } from '../calls/asked-model.ts';
import type { CallBound, EndpointConstraint } from '../calls/call-kind.ts';
import { createPipeline, type ModelCall, type Pipeline, type StepTimes, withoutReceived } from '../calls/model-call.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import type { OwnKey } from '../catalog/own-keys.ts';
import { type Awaitable, whenKnown } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import { type FilterFunctions, filterRequest } from '../guardrails/filter-functions.ts';
import { guardCall, type GuardedCall } from '../guardrails/guard-call.ts';
import { effectsOfExclusions, effectsOfStages, type GuardrailHits } from '../guardrails/hits.ts';
import type { Policy, PolicyOf } from '../guardrails/policy.ts';
import type { GatewayRequest, Principal } from '../http/request.ts';
import { boundWithin, type Budget, type BudgetParts, findBudgets } from '../limits/budgets.ts';
import type { Ledger, WorstCase } from '../limits/ledger.ts';
import type { LiveRateLimits } from '../limits/rate-limits.ts';
import { reserveCall, withinBounds } from '../limits/reserve-call.ts';
import type { SessionGuard } from '../limits/sessions/session-guard.ts';
import { createRoutingReport, type RoutingReport, toRoutingDecision, withReport } from '../routing/explain.ts';
import { type CallPlan, noEndpointLeft, planCall, type PlanOptions, type RoutingParts } from '../routing/plan-call.ts';
import type { GenerationRepository, Store, WorkspaceRecord } from '../stores/store.ts';
import type { RoutingDecision } from '../wire/routing.ts';

/** A call of any kind that may be sent to an endpoint: guarded, planned and admitted. */
export interface PreparedCall<Request = unknown> {
  /** In the form that is sent and stored. */
  readonly call: ModelCall<Request>;
  readonly caller: Caller;
  readonly pipeline: Pipeline;
  readonly plan: CallPlan;
  /** The endpoints that may serve it: those of the plan, or the ones of them that its kind admits. At least one. */
  readonly endpoints: readonly Endpoint[];
  /** The most that the call may use; null where no budget limits it. */
  readonly bound: CallBound | null;
  /** Null when the caller did not request the routing report. */
  readonly report: RoutingReport | null;
  /** When it passed each step. */
  readonly stepTimes: StepTimes;
  /** The plan as it is stored; null when there was nothing to decide, or contents are not stored. */
  readonly decision: RoutingDecision | null;
}

/** What the plan of a kind adds to a call. */
export type Planned = Pick<PreparedCall, 'plan' | 'endpoints' | 'bound'>;

/** What a kind of call does in its own way. One object a kind; what `guard` and `plan` return goes on with the call. */
export interface CallSteps<Guarded extends GuardedCall<unknown>, Own extends Planned, Parts> {
  /** A record is made of the call, so there has to be room for it. */
  readonly isRecorded: boolean;
  /** The caller may request the routing report. */
  readonly isReported: boolean;
  /** Limits on rates do not hold for it. Default: they do. */
  readonly isUnlimited?: boolean | undefined;
  /** Its response is there already, and paid for: neither a lack of endpoints nor its session refuses it. Default: no. */
  readonly isMade?: boolean | undefined;
  guard(received: Guarded['call'], caller: Caller, pipeline: Pipeline, context: CallContext<Parts>): Awaitable<Guarded>;
  plan(guarded: Guarded, caller: Caller, parts: Parts): Awaitable<Own>;
}

/** Where a call comes from, and where its response goes. */
export interface CallContext<Parts> {
  readonly request: Pick<GatewayRequest, 'id' | 'headers' | 'signal' | 'abort' | 'waitUntil'>;
  /** Headers of the response; a rate limit adds to them, and so does the id of the generation. */
  readonly responseHeaders: Record<string, string>;
  readonly parts: Parts;
}

/** What every call is prepared with. */
export interface PrepareParts {
  readonly callers: CallerParts;
  readonly routing: RoutingParts;
  readonly rateLimits: Pick<LiveRateLimits, 'current'>;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly logging: { readonly inputOutput: boolean };
  readonly filterFunctions: FilterFunctions;
  readonly sessionGuard: Pick<SessionGuard, 'check'>;
}

/**
 * The way of every call up to its first endpoint (docs/decisions/0024). Throws what refuses it: a guardrail, that no
 * endpoint is left, a rate limit. `receivedAt`: when its request came in, where that was read before now.
 */
export async function prepareCall<
  Guarded extends GuardedCall<unknown>,
  Own extends Planned,
  Parts extends PrepareParts,
>(
  received: Guarded['call'],
  steps: CallSteps<Guarded, Own, Parts>,
  context: CallContext<Parts>,
  receivedAt?: number,
): Promise<PreparedCall & Guarded & Own> {
  try {
    const { request: client, responseHeaders, parts } = context;
    const { platform, callers, routing, rateLimits, logging } = parts;
    const readAt = platform.monotonicNow();
    if (steps.isRecorded) refuseWithoutRoom(callers);
    // A step is awaited only where it has a promise: with tables in memory, most calls need none.
    const found = findCaller(received.principal, callers);
    const caller = found instanceof Promise ? await found : found;

    const pipeline = createPipeline(client.id);
    const guarding = steps.guard(received, caller, pipeline, context);
    const guarded = guarding instanceof Promise ? await guarding : guarding;
    const { call, refusal } = guarded;
    // Where there is a routing report, it shows the plan of a refused call, too.
    if (refusal !== null && !steps.isReported) throw noteRefusal(refusal, received, pipeline, caller);
    const guardedAt = platform.monotonicNow();

    const planning = steps.plan(guarded, caller, parts);
    const planned = planning instanceof Promise ? await planning : planning;
    const { plan, endpoints } = planned;
    const report = steps.isReported ? createRoutingReport(client.headers, plan, pipeline) : null;
    if (caller.policy !== null) noteEffects(call, planned, { pipeline, caller, isRefused: refusal !== null });
    const isMade = steps.isMade === true;
    const refused = refusal ?? (endpoints.length === 0 && !isMade ? noEndpointLeft(plan) : null);
    if (refused !== null) throw withReport(refused, report, { attempts: [], hasFailed: true });
    const { sessionLimits } = routing.account;
    if (sessionLimits !== undefined && steps.isRecorded && !isMade && call.session !== null) {
      const notice = await parts.sessionGuard.check(call, sessionLimits, client.id);
      if (notice !== null) responseHeaders[SESSION_NOTICE] = notice;
    }
    const plannedAt = platform.monotonicNow();

    const isDecisionStored = steps.isRecorded && logging.inputOutput && call.region === null;
    const decision = isDecisionStored ? toRoutingDecision(plan, routing.health) : null;
    const limits = rateLimits.current();
    if (limits !== null && steps.isUnlimited !== true)
      await limits.admit(call.principal, endpoints[0]?.modelId ?? '', responseHeaders);
    const stepTimes = { receivedAt: receivedAt ?? readAt, readAt, guardedAt, plannedAt };
    return { ...guarded, ...planned, caller, pipeline, report, stepTimes, decision };
  } catch (thrown) {
    throw withAskedModel(thrown, received);
  }
}

/** Tells a caller that its session has reached a limit and goes on. */
const SESSION_NOTICE = 'x-gateway-session-notice';

/**
 * Holds the most that a call may cost until its generation is recorded, where a budget limits it. Throws
 * `payment_required` or `permission_denied` when that does not fit.
 */
export function reservePrepared(
  { call, caller: { budgets }, endpoints, bound }: PreparedCall,
  ledger: Pick<Ledger, 'reserve'>,
): Awaitable<WorstCase | null> {
  if (bound === null) return null;
  const refuse = (thrown: unknown): never => {
    throw withAskedModel(thrown, call);
  };
  try {
    const reserving = reserveCall(call, { budgets, endpoints, bound }, ledger);
    return reserving instanceof Promise ? reserving.catch(refuse) : reserving;
  } catch (thrown) {
    return refuse(thrown);
  }
}

/** Runs the input filters alone: those of guardrails, and then the embedder's own. */
export function guardByFilters<Request>(
  received: ModelCall<Request>,
  { policy }: Caller,
  pipeline: Pipeline,
  { parts, request: { signal } }: CallContext<Pick<PrepareParts, 'logger' | 'platform' | 'filterFunctions'>>,
): Awaitable<GuardedCall<Request>> {
  const { logger, platform, filterFunctions } = parts;
  const { input } = filterFunctions;
  if (policy === null && input === null) return { call: received, refusal: null };
  const guarding = guardCall(received, { policy, pipeline, logger, platform });
  const filtering =
    input === null
      ? guarding
      : whenKnown(guarding, (guarded) =>
          guarded.refusal === null ? filterRequest(guarded.call, input, { pipeline, logger, signal }) : guarded,
        );
  return whenKnown(filtering, ({ call, refusal }) => ({
    call: call.request === received.request ? call : withoutReceived(call),
    refusal,
  }));
}

/** Plans a call for the endpoints that its caller's policy and budgets admit. */
export function planWithin(
  call: ModelCall,
  { policy, budgets, workspace, ownKeys }: Caller,
  routing: RoutingParts,
  options: Partial<PlanOptions> = {},
): Planned {
  const bound = boundWithin(call, budgets);
  const constraints: readonly EndpointConstraint[] = [
    ...(options.constraints ?? []),
    ...(policy?.constraints ?? []),
    ...(bound === null ? [] : [withinBounds(bound)]),
  ];
  const plan = planCall(call, { ...options, constraints, ownKeys }, routingFor(workspace, routing));
  return { plan, endpoints: plan.endpoints, bound };
}

/** What calls of a workspace are planned with. */
export function routingFor(workspace: Caller['workspace'], routing: RoutingParts): RoutingParts {
  const account = withWorkspaceDefaults(routing.account, workspace);
  return account === routing.account ? routing : { ...routing, account };
}

interface Judged {
  readonly pipeline: Pipeline;
  readonly caller: Caller;
  readonly isRefused: boolean;
}

/** The record of an admitted call has the effects of guardrails; a refused call has no record, and is counted here. */
function noteEffects(call: ModelCall, { plan, endpoints }: Planned, { pipeline, caller, isRefused }: Judged): void {
  const isUnserved = !isRefused && endpoints.length === 0;
  const exclusions = isRefused ? [] : effectsOfExclusions(plan.excluded, isUnserved ? 'unserved' : 'narrowed');
  if (isRefused || isUnserved) {
    const refused = { principalId: call.principal.id, model: plan.requested };
    caller.hits.noteRefused([...effectsOfStages(pipeline.stages), ...exclusions], refused);
  } else if (exclusions.length > 0) {
    pipeline.narrowedBy = exclusions.map(({ guardrailId }) => guardrailId);
  }
}

/** Counts a call that is refused without a plan. */
function noteRefusal(
  refusal: GatewayError,
  { kind, request, principal }: ModelCall,
  { stages }: Pipeline,
  { hits }: Caller,
): GatewayError {
  const model = kind.modelsOf(request).model ?? '';
  hits.noteRefused(effectsOfStages(stages), { principalId: principal.id, model });
  return refusal;
}

/** The rules for the calls of one principal. */
export interface Caller {
  /** Null when no guardrail holds. */
  readonly policy: Policy | null;
  /** Every limit that a call has to fit in. */
  readonly budgets: readonly Budget[];
  /** Undefined while nothing of it is stored. */
  readonly workspace?: WorkspaceRecord['workspace'] | undefined;
  /** Its own keys of providers; undefined for none. */
  readonly ownKeys?: readonly OwnKey[] | undefined;
  /** Counts what the policy does to refused calls. */
  readonly hits: Pick<GuardrailHits, 'noteRefused'>;
}

export interface CallerParts extends BudgetParts, Pick<Caller, 'hits'> {
  readonly policyOf: PolicyOf;
  /** Looks up the stored keys of callers. */
  readonly ownKeys: {
    of(user: {
      readonly workspaceId: string;
      readonly keyHash: string;
      readonly userId: string | undefined;
    }): Awaitable<readonly OwnKey[] | undefined>;
  };
  readonly store: Pick<Store, 'workspaces'> & { readonly generations: Pick<GenerationRepository, 'findNoRoom'> };
}

/** Synchronous with tables in memory. Rejects with `permission_denied` when a guardrail cannot be applied. */
export function findCaller(principal: Principal, parts: CallerParts): Awaitable<Caller> {
  const { workspaceId = DEFAULT_WORKSPACE_ID, id: keyHash, userId } = principal;
  return whenKnown(parts.policyOf(principal), (policy) =>
    whenKnown(parts.store.workspaces.get(workspaceId), (record) =>
      whenKnown(parts.ownKeys.of({ workspaceId, keyHash, userId }), (ownKeys) => ({
        policy,
        budgets: findBudgets({ principal, policy, workspace: record }, parts),
        workspace: record?.workspace,
        ownKeys,
        hits: parts.hits,
      })),
    ),
  );
}

const ROOM_RETRY_SECONDS = 5;

/** Refuses a call that could not be recorded, before it costs anything: by a 503 with the reason. */
function refuseWithoutRoom({ store }: Pick<CallerParts, 'store'>): void {
  const reason = store.generations.findNoRoom?.() ?? null;
  if (reason === null) return;
  throw new GatewayError('provider_overloaded', `${reason}, so this call could not be recorded; try again shortly`, {
    retryAfterSeconds: ROOM_RETRY_SECONDS,
  });
}
