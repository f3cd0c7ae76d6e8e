import { type Attempt, type Outcome, outcomeOf, type Timeouts, withFlaggedInput } from '../calls/attempt.ts';
import type { Narrowing } from '../calls/call-kind.ts';
import { type CallMarks, createPipeline, type ModelCall, type Pipeline } from '../calls/model-call.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { type Cost, costOf, toReportedCost } from '../catalog/prices.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { CompletionFacts, EndedCall } from '../generations/ended-call.ts';
import { type CallState, type GenerationLogging, type Skipped, toCallCourse } from '../generations/observer.ts';
import { type SettledGeneration, toContentError, toSettled, toStoredContent } from '../generations/to-generation.ts';
import { guardCall } from '../guardrails/guard-call.ts';
import type { GatewayRequest } from '../http/request.ts';
import type { Ledger } from '../limits/ledger.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import { reserveCall } from '../limits/reserve-call.ts';
import { type RoutingReport, toRoutingDecision, withReport } from '../routing/explain.ts';
import type { CallPlan, RoutingParts } from '../routing/plan-call.ts';
import { preferencesUpstream, toOnwardPreferences } from '../routing/preferences.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import type { CallCourse, GenerationContent } from '../wire/generation.ts';
import type { ProviderPreferences, RoutingDecision, RoutingMembers } from '../wire/routing.ts';
import { type OpenCalls, trackCall } from './open-calls.ts';
import { type CallerParts, findCaller, planGuarded, refuseWithoutRoom } from './prepare-call.ts';
import type { Recorder } from './recorder.ts';
import { type AttemptParts, noteOutcome, runAttempts, toCallError } from './run-attempts.ts';

export interface WholeCallParts {
  readonly callers: CallerParts;
  readonly routing: RoutingParts;
  readonly attempts: AttemptParts;
  /** Null without any. */
  readonly rateLimits: RateLimits | null;
  readonly ledger: Ledger;
  readonly openCalls: OpenCalls;
  readonly recorder: Recorder;
  readonly platform: Platform;
  readonly timeouts: Timeouts;
  readonly logging: GenerationLogging;
  readonly logger: Logger;
}

/** One call to one endpoint. */
export interface WholeTurn {
  readonly signal: AbortSignal;
  /** For the choice of an endpoint's provider that is a gateway; undefined for any other, and for none. */
  readonly preferences: ProviderPreferences | undefined;
}

/** How one unstreamed kind is served: one upstream call, and what of its result is recorded. */
export interface WholeKind<Request, Result> {
  /** Calls one endpoint. Rejects as soon as the signal fires. */
  ask(endpoint: Endpoint, call: ModelCall<Request>, turn: WholeTurn): Promise<Result>;
  /** Returns the usage; an estimate where upstream reports none. */
  usageOf(result: Result, request: Request): Usage;
  /** Returns what upstream tells about a result beside its contents. */
  factsOf?(result: Result): Partial<CompletionFacts>;
  /** Returns the content to store; `result` is undefined when the call failed. */
  contentOf(request: Request, result: Result | undefined): Pick<GenerationContent, 'input' | 'output'>;
}

/** The origin of a call, and the destination of its response. */
export interface WholeClient {
  readonly request: Pick<GatewayRequest, 'headers' | 'signal' | 'abort' | 'waitUntil'>;
  /** Headers of the response; a rate limit adds to them, and so does the id of the generation. */
  readonly responseHeaders: Record<string, string>;
}

export interface WholeResult<Result> {
  readonly endpoint: Endpoint;
  readonly result: Result;
  /** The usage as it is sent to the caller. */
  readonly usage: Usage;
  /** Members of the response about the routing of the call; undefined when the caller did not request them. */
  readonly routing: RoutingMembers | undefined;
}

/**
 * Guards, plans, admits, reserves, runs and records one call of an unstreamed kind. Throws what ended it
 * (docs/decisions/0024).
 */
export async function runWholeCall<Request, Result>(
  received: ModelCall<Request>,
  whole: WholeKind<Request, Result>,
  client: WholeClient,
  parts: WholeCallParts,
): Promise<WholeResult<Result>> {
  const prepared = await prepareCall(received, client, parts);
  client.responseHeaders['x-generation-id'] = prepared.call.id;
  return serveCall(prepared, whole, client, parts);
}

interface PreparedCall<Request> {
  readonly call: ModelCall<Request>;
  readonly plan: CallPlan;
  readonly pipeline: Pipeline;
  readonly report: RoutingReport | null;
  readonly narrowings: readonly Narrowing[];
  readonly marks: CallMarks;
  readonly decision: RoutingDecision | null;
}

/** Guards, plans, admits and reserves a call. */
async function prepareCall<Request>(
  received: ModelCall<Request>,
  client: WholeClient,
  parts: WholeCallParts,
): Promise<PreparedCall<Request>> {
  const { principal } = received;
  const { logger, platform, logging } = parts;
  const receivedAt = platform.monotonicNow();
  refuseWithoutRoom(parts.callers);
  const caller = await findCaller(principal, parts.callers);
  const { policy, budgets } = caller;

  const pipeline = createPipeline();
  const { call, refusal } = await guardCall(received, { policy, pipeline, logger, platform });
  const guarded = { call, refusal, pipeline };
  const guardedAt = platform.monotonicNow();

  const { plan, bound, report } = planGuarded(guarded, caller, client.request.headers, parts.routing);

  const plannedAt = platform.monotonicNow();
  const decision = logging.inputOutput && call.region === null ? toRoutingDecision(plan, parts.attempts.health) : null;

  await parts.rateLimits?.admit(principal, plan.endpoints[0]?.modelId ?? '', client.responseHeaders);
  if (bound !== null) await reserveCall(call, { budgets, endpoints: plan.endpoints, bound }, parts.ledger);
  // The request was read before, by its operation.
  const marks = { receivedAt, readAt: receivedAt, guardedAt, plannedAt };
  return { call, plan, pipeline, report, narrowings: policy?.narrowings ?? [], marks, decision };
}

/** Asks endpoint after endpoint, and records the call, whatever happens. */
async function serveCall<Request, Result>(
  prepared: PreparedCall<Request>,
  whole: WholeKind<Request, Result>,
  client: WholeClient,
  parts: WholeCallParts,
): Promise<WholeResult<Result>> {
  const { call, plan, pipeline, report, marks, decision } = prepared;
  const { platform, recorder } = parts;
  const startedAt = platform.now();
  const startedMonotonic = platform.monotonicNow();
  const asked: Attempt[] = [];
  const skipped: Skipped[] = [];
  let isRecorded = false;
  let current: Endpoint | undefined;
  const state = (): CallState => ({
    call,
    startedAt,
    durationMs: platform.monotonicNow() - startedMonotonic,
    isStreamed: false,
    phase: current === undefined ? 'waiting' : 'asked',
    endpoint: current ?? asked.at(-1)?.endpoint,
    attempts: asked.length + (current === undefined ? 0 : 1),
    figures: undefined,
  });
  const followed = { id: () => call.id, isSettled: () => isRecorded, state };
  const tracked = trackCall(parts.openCalls, client.request, { stream: null, followed });
  const { signal } = tracked;
  const isContentStored = parts.logging.inputOutput && call.region === null;
  const toCourse = (): CallCourse =>
    toCallCourse({ marks, startedAt: startedMonotonic, attempts: asked, steps: null, decision, skipped });
  const record = async (
    outcome: Outcome,
    served?: Pick<WholeResult<Result>, 'endpoint' | 'result'>,
  ): Promise<SettledGeneration> => {
    const usage = served && whole.usageOf(served.result, call.request);
    const facts: CompletionFacts = { ...NO_FACTS, ...(served && whole.factsOf?.(served.result)) };
    const ended: EndedCall = {
      call,
      pipeline,
      attempts: asked,
      endpoint: served?.endpoint,
      outcome,
      startedAt,
      durationMs: platform.monotonicNow() - startedMonotonic,
      usage,
      cost: served && usage ? toCost(served.endpoint, usage, { facts, at: startedAt }) : null,
      completion: facts,
    };
    const stored = { ...whole.contentOf(call.request, served?.result), error: toContentError(ended) };
    const settled = toSettled(ended, {
      content: isContentStored ? toStoredContent(stored, toCourse(), null) : null,
      contentLength: JSON.stringify(stored).length,
    });
    isRecorded = true;
    await recorder.recordCall(settled, outcome, client.request);
    return settled;
  };
  try {
    const served = await runAttempts(
      {
        endpoints: plan.endpoints,
        onAttempt(attempt) {
          current = undefined;
          asked.push(attempt);
        },
        onSkip: (endpoint, reason) => skipped.push({ endpoint, reason }),
        signal,
        parts: parts.attempts,
      },
      (candidate) => {
        current = candidate;
        return whole.ask(candidate, call, { signal, preferences: preferencesFor(candidate, prepared, parts) });
      },
    );
    const { endpoint, first: result } = served;
    const outcome: Outcome = { status: 'completed' };
    noteOutcome({ endpoint, startedAt: served.startedAt, outcome, usage: undefined }, parts.attempts);
    const { usage = NO_USAGE, record: recorded } = await record(outcome, { endpoint, result });
    const generationMs = recorded.generation.generation_time;
    return { endpoint, result, usage, routing: report?.toMembers({ attempts: asked, hasFailed: false, generationMs }) };
  } catch (thrown) {
    const error = toCallError(signal.aborted ? signal.reason : thrown, asked.at(-1)?.endpoint.provider.name ?? '');
    if (!isRecorded) await record(outcomeOf(error));
    const model = asked.at(-1)?.endpoint.modelId ?? '';
    const flagged = withFlaggedInput(error, { model, textOf: () => textOf(whole.contentOf(call.request, undefined)) });
    throw withReport(flagged, report, { attempts: asked, hasFailed: true });
  } finally {
    tracked.end();
  }
}

/** The cost that upstream itself reports, else that of the listed prices. */
function toCost(
  { prices }: Endpoint,
  usage: Usage,
  { facts, at }: { readonly facts: CompletionFacts; readonly at: number },
): Cost | null {
  const listed = costOf(prices, usage, { images: 0, at });
  const { upstreamCostUsd: reported, upstreamCosts } = facts;
  return reported === undefined ? listed : toReportedCost(reported, upstreamCosts ?? {}, listed);
}

function preferencesFor<Request>(
  endpoint: Endpoint,
  { call, narrowings }: PreparedCall<Request>,
  { routing: { account, catalog } }: WholeCallParts,
): ProviderPreferences | undefined {
  if (endpoint.provider.gateway === undefined) return undefined;
  return toOnwardPreferences(endpoint, { asked: preferencesUpstream(call, account), account, narrowings, catalog });
}

/** The input as text. */
const textOf = ({ input }: Pick<GenerationContent, 'input'>): string =>
  'prompt' in input ? input.prompt : JSON.stringify(input.messages);

const NO_FACTS: CompletionFacts = {
  upstreamId: undefined,
  finish: undefined,
  serviceTier: undefined,
  upstreamCostUsd: undefined,
};
const NO_USAGE: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
