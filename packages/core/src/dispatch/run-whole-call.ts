import { type Attempt, type Outcome, outcomeOf, type Timeouts, withFlaggedInput } from '../calls/attempt.ts';
import type { ModelCall } from '../calls/model-call.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { type Cost, costOf, toReportedCost } from '../catalog/prices.ts';
import type { CompletionFacts, EndedCall } from '../generations/ended-call.ts';
import { type CallState, type GenerationLogging, type Skipped, toCallCourse } from '../generations/observer.ts';
import { type SettledGeneration, toContentError, toSettled, toStoredContent } from '../generations/to-generation.ts';
import type { GuardedCall } from '../guardrails/guard-call.ts';
import type { Ledger } from '../limits/ledger.ts';
import { withReport } from '../routing/explain.ts';
import { preferencesUpstream, toOnwardPreferences } from '../routing/preferences.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import type { CallCourse, GenerationContent } from '../wire/generation.ts';
import type { ProviderPreferences, RoutingMembers } from '../wire/routing.ts';
import { type OpenCalls, trackCall } from './open-calls.ts';
import {
  type CallContext,
  type Caller,
  guardByFilters,
  type Planned,
  planWithin,
  type PreparedCall,
  prepareCall,
  type PrepareParts,
  reservePrepared,
} from './prepare-call.ts';
import type { Recorder } from './recorder.ts';
import { type AttemptParts, noteOutcome, runAttempts, toCallError } from './run-attempts.ts';

export interface WholeCallParts extends PrepareParts {
  readonly attempts: AttemptParts;
  readonly ledger: Ledger;
  readonly openCalls: OpenCalls;
  readonly recorder: Recorder;
  readonly timeouts: Timeouts;
  readonly logging: GenerationLogging;
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

export interface WholeResult<Result> {
  readonly endpoint: Endpoint;
  readonly result: Result;
  /** The usage as it is sent to the caller. */
  readonly usage: Usage;
  /** Members of the response about the routing of the call; undefined when the caller did not request them. */
  readonly routing: RoutingMembers | undefined;
}

/** Runs a call of an unstreamed kind as every call is run, and records it. Throws what ended it (docs/decisions/0024). */
export async function runWholeCall<Request, Result>(
  received: ModelCall<Request>,
  whole: WholeKind<Request, Result>,
  context: CallContext<WholeCallParts>,
): Promise<WholeResult<Result>> {
  const prepared = await prepareCall<GuardedCall<Request>, Planned, WholeCallParts>(received, WHOLE_STEPS, context);
  if (prepared.bound !== null) await reservePrepared(prepared, context.parts.ledger);
  context.responseHeaders['x-generation-id'] = prepared.call.id;
  return serveCall(prepared, whole, context);
}

const WHOLE_STEPS = {
  isRecorded: true,
  isReported: true,
  guard: guardByFilters,
  plan: ({ call }: GuardedCall<unknown>, caller: Caller, { routing }: WholeCallParts) =>
    planWithin(call, caller, routing),
};

/** Asks endpoint after endpoint, and records the call, whatever happens. */
async function serveCall<Request, Result>(
  prepared: PreparedCall<Request>,
  whole: WholeKind<Request, Result>,
  { request: client, parts }: CallContext<WholeCallParts>,
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
  const tracked = trackCall(parts.openCalls, client, { stream: null, followed });
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
    await recorder.recordCall(settled, outcome, client);
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
  { call, caller }: PreparedCall<Request>,
  { routing: { account, catalog } }: WholeCallParts,
): ProviderPreferences | undefined {
  if (endpoint.provider.gateway === undefined) return undefined;
  const narrowings = caller.policy?.narrowings ?? [];
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
