import { type Outcome, outcomeOf, type Timeouts, withFlaggedInput } from '../calls/attempt.ts';
import type { ModelCall } from '../calls/model-call.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { type Cost, costOf, type Prices, toReportedCost } from '../catalog/prices.ts';
import type { CompletionFacts } from '../generations/ended-call.ts';
import { type GenerationLogging, observeCall, type ResultFacts } from '../generations/observer.ts';
import type { SettledGeneration } from '../generations/to-generation.ts';
import type { GuardedCall } from '../guardrails/guard-call.ts';
import type { Ledger } from '../limits/ledger.ts';
import { withReport } from '../routing/explain.ts';
import { preferencesUpstream, toOnwardPreferences } from '../routing/preferences.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import type { GenerationContent } from '../wire/generation.ts';
import type { ProviderPreferences, RoutingMembers } from '../wire/routing.ts';
import type { OnSent } from '../wire/stored-request.ts';
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
  /** Notes what is sent upstream; undefined where it is not stored. */
  readonly onSent: OnSent | undefined;
}

/** How one unstreamed kind is served: one upstream call, and what of its result is recorded. */
export interface WholeKind<Request, Result> {
  /** Calls one endpoint. Rejects as soon as the signal fires. */
  ask(endpoint: Endpoint, call: ModelCall<Request>, turn: WholeTurn): Promise<Result>;
  /** Returns the usage; an estimate where upstream reports none. */
  usageOf(result: Result, request: Request): Usage;
  /** Returns the cost by the listed prices; null where that is not known. Default: that of the usage. */
  listedCostOf?(prices: Prices, call: ListedCall<Request, Result>): Cost | null;
  /** Returns what upstream reports about a result beside its contents. */
  factsOf?(result: Result): Partial<CompletionFacts>;
  /** Returns the content to store; `result` is undefined when the call failed. */
  contentOf(request: Request, result: Result | undefined): Pick<GenerationContent, 'input' | 'output'>;
}

/** What a cost is worked out from. */
interface ListedCall<Request, Result> {
  readonly usage: Usage;
  readonly result: Result;
  readonly request: Request;
  /** Unix milliseconds. */
  readonly at: number;
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
  const { call, endpoints, report } = prepared;
  const observer = observeCall(prepared, null, parts);
  const tracked = trackCall(parts.openCalls, client, { stream: null, followed: observer });
  const { signal } = tracked;
  const record = async (outcome: Outcome, served?: Served<Result>): Promise<SettledGeneration> => {
    const settled = observer.settleWhole(outcome, readResult(whole, call.request, served, observer.startedAt));
    await parts.recorder.recordCall(settled, outcome, client);
    return settled;
  };
  try {
    const { endpoint, startedAt, first } = await runAttempts(
      { endpoints, observer, wish: { call, account: parts.routing.account }, signal, parts: parts.attempts },
      (candidate) => {
        const preferences = preferencesFor(candidate, prepared, parts);
        return whole.ask(candidate, call, { signal, preferences, onSent: observer.sentTo(candidate) });
      },
    );
    const outcome: Outcome = { status: 'completed' };
    noteOutcome({ endpoint, startedAt, outcome, usage: undefined }, parts.attempts);
    const { usage = NO_USAGE, record: recorded } = await record(outcome, { endpoint, result: first });
    const generationMs = recorded.generation.generation_time;
    const routing = report?.toMembers({ attempts: observer.attempts(), hasFailed: false, generationMs });
    return { endpoint, result: first, usage, routing };
  } catch (thrown) {
    const attempts = observer.attempts();
    const last = attempts.at(-1)?.endpoint;
    const error = toCallError(signal.aborted ? signal.reason : thrown, last?.provider.name ?? '');
    if (!observer.isSettled()) await record(outcomeOf(error));
    const model = last?.modelId ?? '';
    const flagged = withFlaggedInput(error, { model, textOf: () => textOf(whole.contentOf(call.request, undefined)) });
    throw withReport(flagged, report, { attempts, hasFailed: true });
  } finally {
    tracked.end();
  }
}

type Served<Result> = Pick<WholeResult<Result>, 'endpoint' | 'result'>;

/** Reads for the record what a call has given; `served` is undefined for one that failed. */
function readResult<Request, Result>(
  whole: WholeKind<Request, Result>,
  request: Request,
  served: Served<Result> | undefined,
  startedAt: number,
): ResultFacts {
  if (served === undefined) {
    return { usage: undefined, cost: null, completion: NO_FACTS, content: whole.contentOf(request, undefined) };
  }
  const { endpoint, result } = served;
  const usage = whole.usageOf(result, request);
  const completion: CompletionFacts = { ...NO_FACTS, ...whole.factsOf?.(result) };
  const { prices } = endpoint;
  const at = startedAt;
  const listed =
    whole.listedCostOf === undefined
      ? costOf(prices, usage, { images: 0, at })
      : whole.listedCostOf(prices, { usage, result, request, at });
  const cost = toCost(listed, completion);
  return { usage, cost, completion, content: whole.contentOf(request, result) };
}

/** The cost that upstream itself reports, else that of the listed prices. */
function toCost(listed: Cost | null, { upstreamCostUsd: reported, upstreamCosts }: CompletionFacts): Cost | null {
  return reported === undefined ? listed : toReportedCost(reported, upstreamCosts ?? {}, listed);
}

function preferencesFor<Request>(
  endpoint: Endpoint,
  { call, caller }: PreparedCall<Request>,
  { routing: { account, catalog } }: WholeCallParts,
): ProviderPreferences | undefined {
  if (endpoint.provider.gateway === undefined) return undefined;
  const constraints = caller.policy?.constraints ?? [];
  return toOnwardPreferences(endpoint, { asked: preferencesUpstream(call, account), account, constraints, catalog });
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
