import type { Timeouts } from '../calls/attempt.ts';
import { withRequest } from '../calls/model-call.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { noteOutcome, runAttempts } from '../dispatch/run-attempts.ts';
import { GatewayError, isCallersMistake } from '../foundation/errors.ts';
import { createCompletionAccumulator } from '../generations/completion-accumulator.ts';
import { guardText } from '../guardrails/guard-call.ts';
import { boundWithin } from '../limits/budgets.ts';
import { ownWorstCase, reserveCall } from '../limits/reserve-call.ts';
import type { ChatChunk } from '../wire/chat-chunk.ts';
import type { ChatCompletionRequest, ChatMessage } from '../wire/chat-request.ts';
import type { ChatRun } from './chat-run.ts';
import type { Beginning } from './committed-completion.ts';
import { type BrokenPart, type CompletionPart, joinAtSeam, readPart, type WholeSoFar } from './continuation-seam.ts';
import type { ChatTurn } from './stages/stage.ts';

/** Limit of continuations, whatever the number of endpoints: each pays for the prompt again. */
const MAX_SEAMS = 2;

/** A request for the rest of a completion, with the time that is left for it. */
export interface AskedRest extends ContinuingRequest {
  readonly timeouts: Timeouts;
}

interface Continuing {
  readonly run: ChatRun;
  readonly turn: ChatTurn;
  /** The endpoint that has been asked first. */
  readonly endpoint: Endpoint;
  /** Asks an endpoint for the rest of the completion. */
  readonly ask: (endpoint: Endpoint, rest: AskedRest) => Promise<Beginning>;
}

/**
 * Yields a completion, and where it breaks off, its rest from another endpoint (docs/decisions/0039). Where none can
 * continue it, it ends as it broke off. Reports to the health of every endpoint that had begun how it ended.
 */
export async function* continueBroken(
  batches: AsyncIterator<readonly ChatChunk[]>,
  continuing: Continuing,
): AsyncGenerator<readonly ChatChunk[]> {
  const { run, turn, endpoint } = continuing;
  const { platform } = run.parts;
  const whole: WholeSoFar = { text: '', hasBegun: false, hasReasoning: false, isPlain: true };
  const begunAt = platform.monotonicNow();
  const parts: CompletionPart[] = [];
  let part: CompletionPart | null = toPart(
    { endpoint, startedAt: begunAt },
    { first: [], rest: batches },
    turn.request,
  );
  while (part !== null) {
    parts.push(part);
    const broken: BrokenPart | null = yield* readPart(part, whole, turn.signal);
    if (whole.hasBegun) noteEnd(part, broken, run);
    if (broken === null) return;
    const leftMs = run.parts.timeouts.totalMs - (platform.monotonicNow() - begunAt);
    const isIncomplete: boolean = (part.completion.finish?.reason ?? 'error') === 'error';
    const canGoOn: boolean =
      isIncomplete && parts.length <= MAX_SEAMS && leftMs > 0 && isRemediable(broken.error) && canContinue(whole);
    part = canGoOn ? await goOn({ parts, broken, whole, leftMs }, continuing) : null;
    if (part !== null) continue;
    // The error that upstream itself ended with is among its last words.
    if (broken.lastWords.length === 0) throw broken.error;
    yield broken.lastWords;
  }
}

/** Reasoning that no text has followed is not over, and cannot be handed on. */
const canContinue = ({ isPlain, hasReasoning, text }: WholeSoFar): boolean =>
  isPlain && (!hasReasoning || text.trim() !== '');

function toPart(
  { endpoint, startedAt }: Pick<CompletionPart, 'endpoint' | 'startedAt'>,
  { first, rest }: Beginning,
  { messages }: { readonly messages: readonly ChatMessage[] },
  joint: CompletionPart['joint'] = null,
): CompletionPart {
  // Only the weight of the text is needed, where upstream does not count.
  const completion = createCompletionAccumulator({ maxLength: 0 });
  return { endpoint, startedAt, messages, completion, first, rest, joint };
}

function noteEnd(
  { endpoint, startedAt, completion }: CompletionPart,
  broken: BrokenPart | null,
  { parts }: ChatRun,
): void {
  const outcome =
    broken === null ? ({ status: 'completed' } as const) : ({ status: 'failed', error: broken.error } as const);
  noteOutcome({ endpoint, startedAt, outcome, usage: completion.usage }, parts.attempts);
}

interface Break {
  /** The parts so far, the broken one last. */
  readonly parts: readonly CompletionPart[];
  readonly broken: BrokenPart;
  readonly whole: WholeSoFar;
  /** What is left of the limit for the call, in milliseconds. */
  readonly leftMs: number;
}

/** Begins the next part at the first endpoint that can; null where none does. */
async function goOn(
  { parts, broken: { error }, whole, leftMs }: Break,
  { run, turn, ask }: Continuing,
): Promise<CompletionPart | null> {
  const {
    observer,
    call,
    parts: { account, attempts, timeouts },
  } = run;
  const { signal } = turn;
  const last = parts.at(-1) as CompletionPart;
  const rest = await toRest(parts, whole, run, turn);
  // A call that is over is recorded, and what it holds is released: nothing may be held after that.
  signal.throwIfAborted();
  if (rest === null) return null;
  const asked = observer.attempts().map(({ endpoint }) => endpoint);
  const hasText = rest.prefill !== '';
  const endpoints = endpointsToContinue({
    endpoints: turn.endpoints,
    broken: last.endpoint,
    hasText,
    asked,
    mayChangeModel: mayChangeModel(run),
    refusesPrefill: (endpoint) => attempts.health.of(endpoint).hasRefusedPrefill(),
  });
  if (endpoints.length === 0 || !(await isWithinBudgets({ request: rest.request, endpoints }, run))) return null;
  signal.throwIfAborted();

  observer.noteBrokeOff({ error, afterCharacters: whole.text.length });
  const limits = { ...timeouts, totalMs: leftMs };
  const after = { endpoint: last.endpoint, error };
  try {
    // An endpoint that refuses the text says nothing of the others, of which each takes it in its own form.
    const options = {
      endpoints,
      observer,
      after,
      isSentApart: hasText,
      wish: { call, account },
      signal,
      parts: attempts,
    };
    const begun = await runAttempts(options, (endpoint) =>
      ask(endpoint, { ...rest, timeouts: limits }).catch((error: unknown) => {
        if (hasText && isRefusedForm(error)) attempts.health.of(endpoint).noteRefusedPrefill();
        throw error;
      }),
    );
    const gap = whole.text.slice(whole.text.trimEnd().length);
    const joint = joinAtSeam({ prefill: rest.prefill, gap, mayRepeatAll: begun.endpoint.prefill === 'prefix' });
    const next = toPart(begun, begun.first, rest.request, joint);
    if (parts.length === 1) observer.noteTurn(last);
    observer.noteTurn(next);
    return next;
  } catch {
    // The caller gets the error with which the completion broke off; the record has those of the attempts, too.
    signal.throwIfAborted();
    return null;
  }
}

/** Whether the caller or the account lets a model that the request names go on with the text of another. */
function mayChangeModel({ call, parts: { account } }: ChatRun): boolean {
  const wish = call.request.provider?.continue_with_other_models;
  return (wish ?? account.routing?.continueWithOtherModels) === true;
}

/** What endpoints say to a request that ends with the beginning of their own text, if they do not take that. */
const isRefusedForm = (error: unknown): boolean =>
  error instanceof GatewayError && (error.code === 'invalid_request' || error.code === 'unprocessable');

/** The output so far goes to another endpoint as the caller's own text does: through the input filters. */
async function toRest(
  parts: readonly CompletionPart[],
  { text }: WholeSoFar,
  { caller: { policy }, pipeline, parts: { logger, platform } }: ChatRun,
  { request }: ChatTurn,
): Promise<ContinuingRequest | null> {
  const usedTokens = parts.reduce((sum, { completion }) => sum + Math.ceil(completion.weigh()), 0);
  const said = await guardText(text.trimEnd(), { policy, pipeline, logger, platform });
  return said.refusal === null ? toContinuingRequest(request, said.text, usedTokens) : null;
}

/** A budget that is used up ends the completion where it broke off. */
const isWithinBudgets = (turn: Pick<ChatTurn, 'request' | 'endpoints'>, run: ChatRun): Promise<boolean> =>
  reserveTurn(turn, run).then(
    () => true,
    () => false,
  );

/** Holds what one more completion within a call may cost; rejects when it does not fit into a budget. */
export async function reserveTurn(
  { request, endpoints }: Pick<ChatTurn, 'request' | 'endpoints'>,
  { call, caller, observer, parts }: ChatRun,
): Promise<void> {
  const { budgets } = caller;
  const bound = boundWithin(withRequest(call, request), budgets);
  if (bound === null) return;
  // The cost so far is known now, and replaces its worst case.
  const spent = observer.spending()?.cost?.nanoUsd;
  if (spent !== undefined) {
    const endpoint = observer.endpoint();
    const isByok = endpoint?.provider.byok === true;
    parts.ledger.replace(
      call.id,
      isByok ? ownWorstCase(spent, endpoint) : { creditsNanoUsd: spent, anyNanoUsd: spent },
    );
  }
  await reserveCall(call, { budgets, endpoints, bound }, parts.ledger);
}

/** Whether another endpoint may do better than the one that ended its completion with this error. */
const isRemediable = ({ code }: GatewayError): boolean => !isCallersMistake(code) && code !== 'internal';

interface Candidates {
  /** Those of the turn, in order. */
  readonly endpoints: readonly Endpoint[];
  readonly broken: Endpoint;
  readonly hasText: boolean;
  /** Those that have been asked in the call. */
  readonly asked: readonly Endpoint[];
  readonly mayChangeModel: boolean;
  readonly refusesPrefill: (endpoint: Endpoint) => boolean;
}

/**
 * The endpoints that may continue a completion: of the same model unless others are allowed, paid by the same party, so
 * that the record has one payer, and not asked yet. Where no text has come, there is nothing that they would have to
 * continue.
 */
function endpointsToContinue({
  endpoints,
  broken,
  hasText,
  asked,
  mayChangeModel,
  refusesPrefill,
}: Candidates): readonly Endpoint[] {
  const isByok = (endpoint: Endpoint): boolean => endpoint.provider.byok === true;
  return endpoints.filter(
    (endpoint) =>
      (mayChangeModel || endpoint.modelId === broken.modelId) &&
      isByok(endpoint) === isByok(broken) &&
      (!hasText || (endpoint.prefill !== null && !refusesPrefill(endpoint))) &&
      !asked.includes(endpoint),
  );
}

interface ContinuingRequest {
  readonly request: ChatCompletionRequest;
  /** The text that the model has to continue; empty where none has come. */
  readonly prefill: string;
}

/**
 * The request for the rest of a completion of which this text has come. Null where there can be no rest: the output
 * limit is used up, or the request ends with a beginning of its own that is no text.
 */
function toContinuingRequest(
  request: ChatCompletionRequest,
  text: string,
  usedTokens: number,
): ContinuingRequest | null {
  const said = text.trimEnd();
  if (said === '') return { request, prefill: '' };
  const messages = withText(request.messages, said);
  const limits = lowerLimits(request, usedTokens);
  if (messages === null || limits === null) return null;
  const last = messages.at(-1)?.content;
  const rest = { ...withoutReasoning(request), ...limits, messages };
  return { request: rest, prefill: typeof last === 'string' ? last : said };
}

/** A beginning that the caller gave itself is continued by the text, in one message. */
function withText(messages: readonly ChatMessage[], text: string): ChatMessage[] | null {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [...messages, { role: 'assistant', content: text }];
  if (typeof last.content !== 'string' || last.tool_calls?.length) return null;
  return [...messages.slice(0, -1), { ...last, content: last.content + text }];
}

type Limits = Pick<ChatCompletionRequest, 'max_tokens' | 'max_completion_tokens'>;

function lowerLimits(request: ChatCompletionRequest, usedTokens: number): Limits | null {
  const limits: Limits = {};
  for (const field of ['max_tokens', 'max_completion_tokens'] as const) {
    const limit = request[field];
    if (limit == null) continue;
    if (limit <= usedTokens) return null;
    limits[field] = limit - usedTokens;
  }
  return limits;
}

/** What has been reasoned is lost to another endpoint, and reasoning again would not lead to the same text. */
function withoutReasoning(request: ChatCompletionRequest): ChatCompletionRequest {
  const { reasoning, reasoning_effort: effort, ...others } = request;
  const isOff = effort === 'none' || reasoning?.effort === 'none' || reasoning?.enabled === false;
  return isOff ? request : others;
}
