import type { Outcome } from '../../../calls/attempt.ts';
import { completionChunk } from '../../../calls/message-places.ts';
import type { Pipeline } from '../../../calls/model-call.ts';
import type { Endpoint } from '../../../catalog/catalog.ts';
import { toCallError } from '../../../dispatch/ask-endpoint.ts';
import { noteOutcome } from '../../../dispatch/run-attempts.ts';
import { appendAll } from '../../../foundation/append-all.ts';
import { raceAbort } from '../../../foundation/awaitable.ts';
import { isRecord } from '../../../foundation/parse.ts';
import {
  type CompletionAccumulator,
  createCompletionAccumulator,
} from '../../../generations/completion-accumulator.ts';
import type { CallObserver } from '../../../generations/observer.ts';
import { guardAdded, guardText } from '../../../guardrails/guard-call.ts';
import type { ChatChunk, ChatChunkChoice, ChatDelta, ToolCallDelta } from '../../../wire/chat-chunk.ts';
import type { ChatCompletionRequest, ChatMessage, ReasoningDetail, ToolCall } from '../../../wire/chat-request.ts';
import type { ChatRun } from '../../chat-run.ts';
import { type CommittedCompletion, failureOf, letGo, readMore, withoutFinish } from '../../committed-completion.ts';
import { reserveTurn } from '../../continuation.ts';
import type { Begin, ChatTurn } from '../stage.ts';
import { type RanCall, runToolCalls } from './run-tool-calls.ts';
import { type NamedTool, type ToolSet, toStepDetail } from './tool-set.ts';

/**
 * Completes with as many turns of the model as its calls of server tools take (wire.md 10.1). The caller sees one
 * completion: text as it comes, calls of its own tools, and at the end one finish reason.
 */
export function runToolTurns(next: Begin, run: ChatRun, toolSet: ToolSet): Begin {
  return async (turn) => {
    const batches = runTurns(next, run, toolSet, turn);
    if (turn.request.stream === true) {
      const first = await batches.next();
      return toCompletion(run, first.done === true ? [] : first.value, batches);
    }
    const chunks: ChatChunk[] = [];
    for await (const batch of batches) appendAll(chunks, batch);
    return toCompletion(run, [mergeChunks(chunks)], null);
  };
}

function toCompletion(
  { observer }: ChatRun,
  first: readonly ChatChunk[],
  rest: CommittedCompletion['rest'],
): CommittedCompletion {
  const endpoint = observer.endpoint() as Endpoint;
  return { endpoint, startedAt: 0, first, rest, isAccountedFor: true };
}

async function* runTurns(
  next: Begin,
  run: ChatRun,
  toolSet: ToolSet,
  first: ChatTurn,
): AsyncGenerator<readonly ChatChunk[]> {
  const { pipeline, observer, caller, guard, parts } = run;
  const { wheel, logger, platform } = parts;
  const { signal } = first;
  const places: CompletionPlaces = { details: 0, calls: 0, hasText: false };
  let turn: ChatTurn = first;
  let steps = 0;
  if (toolSet.stopRule.maxSteps === 0) turn = withoutTools(turn);
  for (;;) {
    const read = splitTurn(toolSet.tools, places);
    yield* readTurn(next, run, turn, read);
    read.close();
    const calls = read.ownCalls();
    // What a completion that upstream broke off calls for may not be complete.
    const isBrokenOff = read.completion.finish?.reason === 'error';
    if (turn.isLast === true || calls.length === 0 || isBrokenOff) return yield [finishOf(read)];

    const ran = await runToolCalls(calls, toolSet.stopRule.maxSteps - steps, {
      wheel,
      logger,
      requestId: pipeline.requestId,
      platform,
      tools: toolSet.tools,
      signal,
      guard: (text) => guardText(text, { policy: caller.policy, pipeline, logger, platform }, 'result'),
    });
    steps += calls.length;
    noteSteps(ran, pipeline, observer);
    yield [await guardAdded(tellSteps(ran, places), completionChunk, guard, platform)];
    // The caller has calls of its own to run; the results of the gateway's tools come back with its next request.
    if (read.hasForeignCalls()) return yield [finishOf(read)];

    turn = toNextTurn(turn, { read, calls, ran, endpoint: observer.endpoint() as Endpoint });
    const spending = observer.spending();
    const { finish } = read.completion;
    const isOver = toolSet.stopRule.isOver({
      steps,
      called: ran.map(({ step }) => step.tool),
      totalTokens: spending?.usage.total_tokens ?? 0,
      costUsd: spending?.cost?.usd ?? null,
      finishReasons: [finish?.reason ?? null, finish?.native ?? null],
    });
    if (isOver) turn = withoutTools(turn);
    await reserveTurn(turn, run);
    signal.throwIfAborted();
  }
}

/** Reads one turn to its end, and reports its outcome to the endpoint's health. */
async function* readTurn(
  next: Begin,
  run: ChatRun,
  turn: ChatTurn,
  read: SplitTurn,
): AsyncGenerator<readonly ChatChunk[]> {
  const { observer, parts } = run;
  const { request, signal } = turn;
  const completion = await next(turn);
  const { endpoint, startedAt } = completion;
  observer.noteTurn({ endpoint, messages: request.messages, completion: read.completion });
  let isRead = false;
  try {
    yield read.pass(completion.first);
    for (;;) {
      const step = await raceAbort(readMore(completion), signal);
      if (step.done === true) break;
      yield read.pass(step.value);
    }
    isRead = true;
    read.completion.readBack();
    if (read.completion.finish === undefined && request.stream === true) throw withoutFinish(endpoint.provider.name);
  } catch (thrown) {
    const error = toCallError(thrown, endpoint.provider.name);
    if (!signal.aborted)
      noteOutcome({ endpoint, startedAt, outcome: { status: 'failed', error }, usage: undefined }, parts.attempts);
    throw error;
  } finally {
    if (!isRead) letGo(completion);
  }
  const failure = failureOf(read.completion, endpoint.provider.name);
  const outcome: Outcome = failure === null ? { status: 'completed' } : { status: 'failed', error: failure };
  noteOutcome({ endpoint, startedAt, outcome, usage: read.completion.usage }, parts.attempts);
}

function noteSteps(ran: readonly RanCall[], pipeline: Pipeline, observer: CallObserver): void {
  for (const { step, search, ranFrom, ranUntil } of ran) {
    observer.noteToolStep(step);
    if (ranFrom !== undefined && ranUntil !== undefined) {
      const hasFailed = step.status === 'failed';
      observer.noteStep({ kind: 'tool', name: step.tool, startedAt: ranFrom, endedAt: ranUntil, hasFailed });
    }
    if (search !== undefined) observer.noteSearch(search);
    pipeline.add({ type: 'server_tools', name: step.tool, data: { status: step.status, was_run: step.wasRun } });
  }
}

function tellSteps(ran: readonly RanCall[], places: CompletionPlaces): ChatChunk {
  const reasoning_details = ran.map(({ step }) => toStepDetail(step, places.details++));
  const annotations = ran.flatMap((call) => call.annotations);
  const delta = { reasoning_details, ...(annotations.length > 0 && { annotations }) };
  return { choices: [{ index: 0, delta, finish_reason: null, native_finish_reason: null }] };
}

/** The end of the completion. Calls that will not be run must not be its finish reason. */
function finishOf(read: SplitTurn): ChatChunk {
  const { reason, native } = read.completion.finish ?? { reason: 'stop' as const, native: null };
  const finish_reason = reason === 'tool_calls' && !read.hasForeignCalls() ? 'stop' : reason;
  return { choices: [{ index: 0, delta: {}, finish_reason, native_finish_reason: native }] };
}

interface RanTurn {
  readonly read: SplitTurn;
  readonly calls: readonly ToolCall[];
  readonly ran: readonly RanCall[];
  readonly endpoint: Endpoint;
}

/** The next turn sends the calls and their results to the same endpoint, or else to another. */
function toNextTurn(turn: ChatTurn, { read, calls, ran, endpoint }: RanTurn): ChatTurn {
  const { request, endpoints } = turn;
  const { text, reasoning } = read.completion;
  const said: ChatMessage = {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(reasoning !== '' && { reasoning }),
    ...(read.details.length > 0 && { reasoning_details: [...read.details] }),
    tool_calls: [...calls],
  };
  const results = ran.map(({ step }): ChatMessage => ({ role: 'tool', tool_call_id: step.id, content: step.result }));
  const others = endpoints.filter((other) => other !== endpoint && other.modelId === endpoint.modelId);
  return {
    ...turn,
    request: {
      ...request,
      messages: [...request.messages, said, ...results],
      // A tool that had to be called has been.
      ...(isForced(request.tool_choice) && { tool_choice: 'auto' as const }),
    },
    endpoints: [endpoint, ...others],
  };
}

const isForced = (choice: ChatCompletionRequest['tool_choice']): boolean =>
  choice === 'required' || (typeof choice === 'object' && choice !== null);

/** The tools remain in the request: some wires refuse a conversation with calls of tools that it does not describe. */
const withoutTools = (turn: ChatTurn): ChatTurn => ({
  ...turn,
  request: { ...turn.request, tool_choice: 'none' },
  isLast: true,
});

/** Indices that all turns of a completion share, because they must be unique. */
interface CompletionPlaces {
  /** Index of this turn's first reasoning detail. */
  details: number;
  /** Index of the first of the caller's own tool calls in this turn. */
  calls: number;
  /** The completion has text from an earlier turn. */
  hasText: boolean;
}

/** One turn of a model, of which the caller sees everything but what concerns the gateway's own tools. */
interface SplitTurn {
  readonly completion: CompletionAccumulator;
  /** The details as received, to be sent back to the model. */
  readonly details: readonly ReasoningDetail[];
  /** Returns the part of a batch that is sent to the caller. */
  pass(batch: readonly ChatChunk[]): ChatChunk[];
  /** Calls of the gateway's tools; valid at the end of the turn. */
  ownCalls(): readonly ToolCall[];
  hasForeignCalls(): boolean;
  /** Call once at the end: updates the indices for the next turn. */
  close(): void;
}

const PARAGRAPH = '\n\n';

/** Starts to read a turn. Finish reasons and usage are left out of what it passes on: they belong to the whole. */
function splitTurn(tools: ReadonlyMap<string, NamedTool>, places: CompletionPlaces): SplitTurn {
  const completion = createCompletionAccumulator();
  const details: ReasoningDetail[] = [];
  /** Index of each of the turn's calls in the completion; null for a call of the gateway's own. */
  const callPlaces: (number | null)[] = [];
  let highestDetail = places.details - 1;
  let hasText = false;

  const placeOf = ({ index, function: { name } }: ToolCallDelta): number | null => {
    let place = callPlaces[index];
    if (place === undefined) {
      place = tools.has(name ?? '') ? null : places.calls++;
      callPlaces[index] = place;
    }
    return place;
  };

  const passDetail = (detail: ReasoningDetail): ReasoningDetail => {
    const place = typeof detail['index'] === 'number' ? detail['index'] + places.details : places.details;
    highestDetail = Math.max(highestDetail, place);
    return { ...detail, index: place };
  };

  const passDelta = ({ tool_calls: calls, reasoning_details: told, ...delta }: ChatDelta): ChatDelta => {
    if (delta.content) {
      if (!hasText && places.hasText) delta.content = PARAGRAPH + delta.content;
      hasText = true;
    }
    const foreign = (calls ?? []).flatMap((call) => {
      const index = placeOf(call);
      return index === null ? [] : [{ ...call, index }];
    });
    if (told !== undefined) appendAll(details, told);
    return {
      ...delta,
      ...(foreign.length > 0 && { tool_calls: foreign }),
      ...(told !== undefined && { reasoning_details: told.map(passDetail) }),
    };
  };

  const passChoice = (choice: ChatChunkChoice): ChatChunkChoice => ({
    ...choice,
    delta: choice.index === 0 ? passDelta(choice.delta) : choice.delta,
    finish_reason: null,
    native_finish_reason: null,
  });

  return {
    completion,
    details,
    pass(batch) {
      completion.observe(batch);
      return batch.map(({ usage: _usage, upstreamCostUsd: _cost, upstreamCosts: _costs, choices, ...chunk }) => ({
        ...chunk,
        choices: choices.map(passChoice),
      }));
    },
    ownCalls: () => completion.toolCalls.filter((_, index) => callPlaces[index] === null),
    hasForeignCalls: () => callPlaces.some((place) => typeof place === 'number'),
    close() {
      places.details = highestDetail + 1;
      places.hasText ||= hasText;
    },
  };
}

/** Merges the pieces of a completion into one chunk. Usage is left out. */
export function mergeChunks(chunks: readonly ChatChunk[]): ChatChunk {
  const completion = createCompletionAccumulator();
  completion.observe(chunks);
  completion.readBack();
  const deltas = chunks.flatMap(({ choices }) => choices).map(({ delta }) => delta);
  const refusal = deltas.map((delta) => delta.refusal ?? '').join('');
  const content = deltas.map((delta) => delta.content ?? '').join('');
  const audio = deltas.findLast((delta) => delta.audio !== undefined)?.audio;
  const delta: ChatDelta = {
    content: content === '' ? null : content,
    ...(refusal !== '' && { refusal }),
    ...(completion.reasoning !== '' && { reasoning: completion.reasoning }),
    ...listOf(deltas, 'reasoning_details'),
    ...listOf(deltas, 'images'),
    ...listOf(deltas, 'annotations'),
    ...(completion.toolCalls.length > 0 && {
      tool_calls: completion.toolCalls.map((call, index) => ({ ...call, index })),
    }),
    ...(audio !== undefined && { audio }),
  };
  return {
    choices: [
      {
        index: 0,
        delta,
        finish_reason: completion.finish?.reason ?? null,
        native_finish_reason: completion.finish?.native ?? null,
        ...mergeLogprobs(chunks),
      },
    ],
    ...(completion.upstream !== undefined && { upstream: completion.upstream }),
    ...(completion.upstreamId !== undefined && { upstreamId: completion.upstreamId }),
    ...(completion.systemFingerprint !== undefined && { systemFingerprint: completion.systemFingerprint }),
    ...(completion.serviceTier !== undefined && { serviceTier: completion.serviceTier }),
  };
}

/** The log probabilities of all pieces in one list for each kind of text; nothing where there were none. */
function mergeLogprobs(chunks: readonly ChatChunk[]): Pick<ChatChunkChoice, 'logprobs'> {
  const found = chunks.flatMap(({ choices }) => choices.map(({ logprobs }) => logprobs).filter(isRecord));
  if (found.length === 0) return {};
  const listed = (kind: 'content' | 'refusal'): unknown[] | null => {
    const lists = found.map((logprobs) => logprobs[kind]).filter((list) => Array.isArray(list));
    return lists.length === 0 ? null : lists.flat(1);
  };
  return { logprobs: { content: listed('content'), refusal: listed('refusal') } };
}

function listOf(
  deltas: readonly ChatDelta[],
  field: 'reasoning_details' | 'images' | 'annotations',
): Partial<ChatDelta> {
  const lists = deltas.flatMap((delta) => (delta[field] === undefined ? [] : [delta[field]]));
  return lists.length === 0 ? {} : { [field]: lists.flat() };
}
