import type { Timeouts } from '../../calls/attempt.ts';
import type { Endpoint } from '../../catalog/catalog.ts';
import { noteOutcome, runAttempts } from '../../dispatch/run-attempts.ts';
import { createCompletionAccumulator } from '../../generations/completion-accumulator.ts';
import { guardText } from '../../guardrails/guard-call.ts';
import type { ChatChunk } from '../../wire/chat-chunk.ts';
import type { ChatMessage } from '../../wire/chat-request.ts';
import type { ChatRun } from '../chat-run.ts';
import type { Beginning } from '../committed-completion.ts';
import { reserveTurn } from '../reserve-turn.ts';
import type { ChatTurn } from '../stages/stage.ts';
import { joinAtSeam } from './join-at-seam.ts';
import { endpointsToContinue, isRemediable } from './may-continue.ts';
import { type BrokenPart, type CompletionPart, readPart, type WholeSoFar } from './read-part.ts';
import { type ContinuingRequest, toContinuingRequest } from './to-continuing-request.ts';

/** Limit of continuations, whatever the number of endpoints: each pays for the prompt again. */
const MAX_SEAMS = 2;

/** A request for the rest of a completion, with the time that is left for it. */
export interface AskedRest extends ContinuingRequest {
  readonly timeouts: Timeouts;
}

export interface Continuing {
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
  // Of the text only the weight is needed, where upstream does not count.
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
  /** Those so far, the broken one last. */
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
    parts: { attempts, timeouts },
  } = run;
  const { signal } = turn;
  const last = parts.at(-1) as CompletionPart;
  const rest = await toRest(parts, whole, run, turn);
  // A call that is over is recorded, and what it holds is released: nothing may be held after that.
  signal.throwIfAborted();
  if (rest === null) return null;
  const asked = observer.attempts().map(({ endpoint }) => endpoint);
  const hasText = rest.prefill !== '';
  const endpoints = endpointsToContinue({ endpoints: turn.endpoints, broken: last.endpoint, hasText, asked });
  if (endpoints.length === 0 || !(await isWithinBudgets({ request: rest.request, endpoints }, run))) return null;
  signal.throwIfAborted();

  observer.noteBrokeOff({ error, afterCharacters: whole.text.length });
  const limits = { ...timeouts, totalMs: leftMs };
  const onAttempt: typeof observer.noteAttempt = (attempt) => observer.noteAttempt(attempt);
  const onSkip: typeof observer.noteSkipped = (endpoint, reason) => observer.noteSkipped(endpoint, reason);
  const after = { endpoint: last.endpoint, error };
  try {
    const begun = await runAttempts({ endpoints, onAttempt, onSkip, after, signal, parts: attempts }, (endpoint) => {
      observer.noteAsked(endpoint);
      return ask(endpoint, { ...rest, timeouts: limits });
    });
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

/** What has been said goes to another endpoint as the caller's own words do: through the input filters. */
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
