import { type Outcome, outcomeOf, type Timeouts, withFlaggedInput } from '../calls/attempt.ts';
import type { ModelCall } from '../calls/model-call.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { type Cost, costOf, type Prices, toReportedCost } from '../catalog/prices.ts';
import type { GatewayError } from '../foundation/errors.ts';
import type { CompletionFacts } from '../generations/ended-call.ts';
import { type CallObserver, type GenerationLogging, observeCall, type ResultFacts } from '../generations/observer.ts';
import type { SettledGeneration } from '../generations/to-generation.ts';
import type { GuardedCall } from '../guardrails/guard-call.ts';
import type { Ledger } from '../limits/ledger.ts';
import { withReport } from '../routing/explain.ts';
import { preferencesUpstream, toOnwardPreferences } from '../routing/preferences.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import type { GenerationContent } from '../wire/generation.ts';
import type { ProviderPreferences, RoutingMembers } from '../wire/routing.ts';
import type { OnSent } from '../wire/stored-request.ts';
import { type Attempted, toCallError } from './ask-endpoint.ts';
import { type OpenCalls, trackCall } from './open-calls.ts';
import {
  type CallContext,
  type Caller,
  type CallSteps,
  guardByFilters,
  type Planned,
  planWithin,
  type PreparedCall,
  prepareCall,
  type PrepareParts,
  reservePrepared,
} from './prepare-call.ts';
import type { Recorder } from './recorder.ts';
import { type AttemptParts, noteOutcome, runAttempts } from './run-attempts.ts';

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
  /** The call as it was prepared. */
  readonly prepared: PreparedCall;
}

/** How a kind without a conversation is served: one upstream call, and what of its result is recorded. */
export interface WholeKind<Request, Result> {
  /** Calls one endpoint. Rejects as soon as the signal fires. */
  ask(endpoint: Endpoint, call: ModelCall<Request>, turn: WholeTurn): Promise<Result>;
  /** Returns the usage; an estimate where upstream reports none. */
  usageOf(result: Result, request: Request): Usage;
  /** Plans a call; throws what refuses it. Default: `planWithin`. */
  plan?(call: ModelCall<Request>, caller: Caller, parts: WholeCallParts): Planned;
  /**
   * Guards a result before it is recorded. `refusal` ends the call, whose provider has been paid all the same; `result`
   * is then what may be recorded of it. Absent where no text comes back.
   */
  guard?(result: Result, prepared: PreparedCall<Request>, signal: AbortSignal): Promise<GuardedResult<Result>>;
  /** Returns the cost by list prices, where it goes by other units than tokens; null where it is not known. */
  costOf?(prices: Prices, usage: Usage, given: CostGrounds<Request, Result>): Cost | null;
  /** Returns what upstream reports about a result beside its contents. */
  factsOf?(result: Result, request: Request): Partial<CompletionFacts>;
  /** Returns the content to store; `result` is undefined when the call failed. */
  contentOf(request: Request, result: Result | undefined): Pick<GenerationContent, 'input' | 'output'>;
}

/** What a cost is worked out from, beside the usage. */
interface CostGrounds<Request, Result> {
  readonly request: Request;
  readonly result: Result;
  /** Unix milliseconds. */
  readonly at: number;
}

export interface GuardedResult<Result> {
  readonly result: Result;
  readonly refusal: GatewayError | null;
}

/** The same for a kind whose response begins before its result is there. */
export interface DeferredKind<Request, Begun, Result> extends AskableKind<Request, Begun, Result> {
  /** Waits for the result. Rejects as `ask` does. */
  finish(begun: Begun): Promise<Result>;
}

interface AskableKind<Request, Begun, Result> extends Omit<WholeKind<Request, Result>, 'ask'> {
  /** Calls one endpoint, until the response has begun: from then on, no other endpoint is asked. */
  ask(endpoint: Endpoint, call: ModelCall<Request>, turn: WholeTurn): Promise<Begun>;
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
export function runWholeCall<Request, Result>(
  received: ModelCall<Request>,
  whole: WholeKind<Request, Result>,
  context: CallContext<WholeCallParts>,
): Promise<WholeResult<Result>> {
  return runDeferredCall(received, { ...whole, finish: (result: Result) => Promise.resolve(result) }, context);
}

/** Runs a call whose upstream accepts it before the result is ready; `finish` waits for the result. */
export async function runDeferredCall<Request, Begun, Result>(
  received: ModelCall<Request>,
  whole: DeferredKind<Request, Begun, Result>,
  context: CallContext<WholeCallParts>,
): Promise<WholeResult<Result>> {
  const prepared = await prepareWholeCall(received, whole, context);
  const open = openWholeCall(prepared, whole, context);
  try {
    const { endpoint, startedAt, first } = await open.askEndpoints();
    const outcome: Outcome = { status: 'completed' };
    const note = (ended: Outcome): void =>
      noteOutcome({ endpoint, startedAt, outcome: ended, usage: undefined }, context.parts.attempts);
    const given = await finish(whole, first, (thrown) => note(outcomeOf(open.toError(thrown))));
    note(outcome);
    const guarded = await guardResult({ whole, open, prepared, endpoint }, given);
    const { result, refusal } = guarded ?? { result: given, refusal: null };
    if (refusal !== null) {
      await open.record(outcomeOf(refusal), { endpoint, result });
      throw refusal;
    }
    const { usage = NO_USAGE, record } = await open.record(outcome, { endpoint, result });
    const generationMs = record.generation.generation_time;
    const attempts = open.observer.attempts();
    const routing = prepared.report?.toMembers({ attempts, hasFailed: false, generationMs });
    return { endpoint, result, usage, routing };
  } catch (thrown) {
    throw await open.fail(thrown);
  } finally {
    open.end();
  }
}

interface Guarding<Request, Begun, Result> {
  readonly whole: Omit<WholeKind<Request, Result>, 'ask'>;
  readonly open: OpenWholeCall<Begun, Result>;
  readonly prepared: PreparedCall<Request>;
  readonly endpoint: Endpoint;
}

/** Guards a result. Where the call ends meanwhile, it is recorded with its cost, and without what no guard has seen. */
export async function guardResult<Request, Begun, Result>(
  { whole, open, prepared, endpoint }: Guarding<Request, Begun, Result>,
  given: Result,
): Promise<GuardedResult<Result> | undefined> {
  try {
    return await whole.guard?.(given, prepared, open.signal);
  } catch (thrown) {
    await open.record(outcomeOf(open.toError(thrown)), { endpoint, result: given, isHidden: true });
    throw thrown;
  }
}

/** Waits for the result of a call that has begun, which the endpoint may still fail to give. */
async function finish<Request, Begun, Result>(
  whole: DeferredKind<Request, Begun, Result>,
  begun: Begun,
  onFailure: (thrown: unknown) => void,
): Promise<Result> {
  try {
    return await whole.finish(begun);
  } catch (thrown) {
    onFailure(thrown);
    throw thrown;
  }
}

/** Prepares a call and reserves what it may cost. Throws what refuses it, before anything is asked or recorded. */
export async function prepareWholeCall<Request, Result>(
  received: ModelCall<Request>,
  whole: Pick<WholeKind<Request, Result>, 'plan'>,
  context: CallContext<WholeCallParts>,
): Promise<PreparedCall<Request>> {
  const steps: CallSteps<GuardedCall<Request>, Planned, WholeCallParts> = {
    isRecorded: true,
    isReported: true,
    guard: guardByFilters,
    plan: ({ call }, caller, given) => whole.plan?.(call, caller, given) ?? planWithin(call, caller, given.routing),
  };
  const prepared = await prepareCall<GuardedCall<Request>, Planned, WholeCallParts>(received, steps, context);
  if (prepared.bound !== null) await reservePrepared(prepared, context.parts.ledger);
  context.responseHeaders['x-generation-id'] = prepared.call.id;
  return prepared;
}

/** A prepared call under way. */
export interface OpenWholeCall<Begun, Result> {
  readonly observer: CallObserver;
  /** Fires with a `GatewayError` when the call has to end. */
  readonly signal: AbortSignal;
  interrupt(error: GatewayError): void;
  /** Asks endpoint after endpoint until one has a result. */
  askEndpoints(): Promise<Attempted<Begun>>;
  /** Records the call, once; `served` is what it has been charged for. */
  record(outcome: Outcome, served?: Served<Result>): Promise<SettledGeneration>;
  /** What a call that has failed says to its caller. */
  toError(thrown: unknown): GatewayError;
  /** Records a call that has failed, unless it is recorded, and returns the error for its caller. */
  fail(thrown: unknown): Promise<GatewayError>;
  /** Call it last. */
  end(): void;
}

/** Begins a prepared call, which is then to be recorded and ended, whatever happens. */
export function openWholeCall<Request, Begun, Result>(
  prepared: PreparedCall<Request>,
  whole: AskableKind<Request, Begun, Result>,
  { request: client, parts }: CallContext<WholeCallParts>,
  isStreamed = false,
): OpenWholeCall<Begun, Result> {
  const { call, endpoints, report } = prepared;
  const observer = observeCall(prepared, null, parts);
  const tracked = trackCall(parts.openCalls, client, { stream: isStreamed ? observer : null, followed: observer });
  const { signal } = tracked;
  const wasStreamed = isStreamed || call.kind.isStreamed?.(call.request) === true;
  const open: OpenWholeCall<Begun, Result> = {
    observer,
    signal,
    interrupt: (error) => tracked.interrupt(error),
    askEndpoints: () =>
      runAttempts(
        { endpoints, observer, wish: { call, account: parts.routing.account }, signal, parts: parts.attempts },
        (candidate) => {
          const preferences = preferencesFor(candidate, prepared, parts);
          return whole.ask(candidate, call, { signal, preferences, onSent: observer.sentTo(candidate), prepared });
        },
      ),
    async record(outcome, served) {
      const result = readResult(whole, call.request, served, observer.startedAt);
      const settled = observer.settleWhole(outcome, wasStreamed ? { ...result, isStreamed: true } : result);
      await parts.recorder.recordCall(settled, outcome, client);
      return settled;
    },
    toError: (thrown) =>
      toCallError(signal.aborted ? signal.reason : thrown, observer.attempts().at(-1)?.endpoint.provider.name ?? ''),
    async fail(thrown) {
      const attempts = observer.attempts();
      const last = attempts.at(-1)?.endpoint;
      const error = open.toError(thrown);
      if (!observer.isSettled()) await open.record(outcomeOf(error));
      const model = last?.modelId ?? '';
      const flagged = withFlaggedInput(error, {
        model,
        textOf: () => textOf(whole.contentOf(call.request, undefined)),
      });
      return withReport(flagged, report, { attempts, hasFailed: true });
    },
    end: () => tracked.end(),
  };
  return open;
}

export interface Served<Result> extends Pick<WholeResult<Result>, 'endpoint' | 'result'> {
  /** It is charged for, and its content is not recorded. */
  readonly isHidden?: boolean | undefined;
}

/** Reads for the record what a call has given; `served` is undefined for one that failed. */
function readResult<Request, Result>(
  whole: Omit<WholeKind<Request, Result>, 'ask'>,
  request: Request,
  served: Served<Result> | undefined,
  startedAt: number,
): ResultFacts {
  if (served === undefined) {
    return { usage: undefined, cost: null, completion: NO_FACTS, content: whole.contentOf(request, undefined) };
  }
  const { endpoint, result, isHidden } = served;
  const usage = whole.usageOf(result, request);
  const completion: CompletionFacts = { ...NO_FACTS, ...whole.factsOf?.(result, request) };
  const listed =
    whole.costOf === undefined
      ? costOf(endpoint.prices, usage, { images: completion.images ?? 0, made: completion.made, at: startedAt })
      : whole.costOf(endpoint.prices, usage, { request, result, at: startedAt });
  const cost = toCost(completion, listed);
  return { usage, cost, completion, content: whole.contentOf(request, isHidden === true ? undefined : result) };
}

/** The cost that upstream itself reports, else that of the listed prices. */
function toCost({ upstreamCostUsd: reported, upstreamCosts }: CompletionFacts, listed: Cost | null): Cost | null {
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
