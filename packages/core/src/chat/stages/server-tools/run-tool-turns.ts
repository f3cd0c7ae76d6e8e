import type { Policy } from '../../../guardrails/policy.ts';
import type { Endpoint } from '../../../catalog/catalog.ts';
import { GatewayError } from '../../../foundation/errors.ts';
import type { GenerationObserver } from '../../../generations/observe/observe-generation.ts';
import { guardAdded } from '../../../guardrails/guard-added.ts';
import type { ChatChunk } from '../../../wire/chat/chat-chunk.ts';
import type { ChatCompletionRequest } from '../../../wire/chat/chat-completion.ts';
import type { ChatMessage, ToolCall } from '../../../wire/chat/chat-message.ts';
import { toCallError } from '../../../dispatch/call-errors.ts';
import { guardText } from '../../guard-text.ts';
import { mergeChunks } from '../../merge-chunks.ts';
import { noteOutcome } from '../../../dispatch/note-outcome.ts';
import type { PipelineStage } from '../../../wire/chat/pipeline-stage.ts';
import { raceAbort } from '../../../foundation/race-abort.ts';
import {
  type AttemptsOptions,
  type BeginAnswer,
  type CommittedAnswer,
  NOTHING_MORE,
  runAttempts,
} from '../../../dispatch/run-attempts.ts';
import { toStepDetail } from './expand-steps.ts';
import { type RanCall, runToolCalls } from './run-tool-calls.ts';
import { type AnswerPlaces, type SplitTurn, splitTurn } from './split-turn.ts';
import type { ToolSet } from './tool-set.ts';

export interface ToolLoop {
  readonly toolSet: ToolSet;
  readonly policy: Policy | null;
  readonly pipeline: PipelineStage[];
  /** Holds what one more turn may cost; rejects when it does not fit into a budget. */
  readonly reserveTurn: (request: ChatCompletionRequest, endpoints: readonly Endpoint[]) => Promise<void>;
}

/**
 * Answers with as many turns of the model as its calls of server tools take (api reference 10.1). The caller sees one
 * answer: text as it comes, calls of its own tools, and at the end one finish reason.
 */
export function answerWithTools(loop: ToolLoop): BeginAnswer {
  return async (options) => {
    const batches = runTurns(loop, options);
    if (options.request.stream === true) {
      const first = await batches.next();
      return toAnswer(options, first.done === true ? [] : first.value, batches);
    }
    const chunks: ChatChunk[] = [];
    for await (const batch of batches) chunks.push(...batch);
    return toAnswer(options, [mergeChunks(chunks)], NOTHING_MORE);
  };
}

function toAnswer(
  { observer }: AttemptsOptions,
  first: readonly ChatChunk[],
  rest: AsyncIterator<readonly ChatChunk[]>,
): CommittedAnswer {
  const endpoint = observer.endpoint() as Endpoint;
  return { endpoint, startedAt: 0, first, rest, isAccountedFor: true };
}

async function* runTurns(loop: ToolLoop, options: AttemptsOptions): AsyncGenerator<readonly ChatChunk[]> {
  const { toolSet, pipeline } = loop;
  const { observer, signal } = options;
  const places: AnswerPlaces = { details: 0, calls: 0, hasText: false };
  let turn: TurnOptions = { request: options.request, options };
  let steps = 0;
  if (toolSet.stopRule.maxSteps === 0) turn = withoutTools(turn);
  for (;;) {
    const read = splitTurn(toolSet.tools, places);
    yield* readTurn(turn, read);
    read.close();
    const calls = read.ownCalls();
    if (turn.isLast === true || calls.length === 0) return yield [finishOf(read)];

    const ran = await runToolCalls(calls, toolSet.stopRule.maxSteps - steps, {
      runtime: options.runtime,
      tools: toolSet.tools,
      signal,
      guard: (text) => guardText(text, loop.policy, { logger: options.runtime.logger, pipeline }),
    });
    steps += calls.length;
    noteSteps(ran, pipeline, observer);
    yield [guardAdded(tellSteps(ran, places), options.guard)];
    // The caller has calls of its own to answer; what ours have found comes back with its next request.
    if (read.hasForeignCalls()) return yield [finishOf(read)];

    turn = nextTurn(turn, { read, calls, ran, endpoint: observer.endpoint() as Endpoint });
    const spending = observer.spending();
    const { finish } = read.answer;
    const isOver = toolSet.stopRule.isOver({
      steps,
      called: ran.map(({ step }) => step.tool),
      totalTokens: spending?.usage.total_tokens ?? 0,
      costUsd: spending?.cost?.usd ?? null,
      finishReasons: [finish?.reason ?? null, finish?.native ?? null],
    });
    if (isOver) turn = withoutTools(turn);
    await loop.reserveTurn(turn.request, turn.options.route.endpoints);
    signal.throwIfAborted();
  }
}

interface TurnOptions {
  readonly request: ChatCompletionRequest;
  /** With where this turn may go. */
  readonly options: AttemptsOptions;
  readonly isLast?: boolean;
}

/** Reads one turn to its end, and tells the endpoint's health how it went. */
async function* readTurn({ request, options }: TurnOptions, read: SplitTurn): AsyncGenerator<readonly ChatChunk[]> {
  const { runtime, observer, signal, guard } = options;
  const { messages } = request;
  const answer = await runAttempts({ ...options, request, guard: guard && { ...guard, messages } });
  observer.noteTurn({ endpoint: answer.endpoint, messages, answer: read.answer });
  let isRead = false;
  try {
    yield read.pass(answer.first);
    for (;;) {
      const step = await raceAbort(answer.rest.next(), signal);
      if (step.done === true) break;
      yield read.pass(step.value);
    }
    isRead = true;
    read.answer.unpack();
    if (read.answer.finish === undefined && request.stream === true) throw brokenOff(answer.endpoint);
  } catch (thrown) {
    const error = toCallError(thrown, answer.endpoint.provider.name);
    if (!signal.aborted) noteOutcome(runtime, answer, { status: 'failed', error }, undefined);
    throw error;
  } finally {
    if (!isRead) answer.rest.return?.().then(undefined, () => undefined);
  }
  noteOutcome(runtime, answer, { status: 'completed' }, read.answer.usage);
}

const brokenOff = ({ provider }: Endpoint): GatewayError =>
  new GatewayError('provider_unavailable', `${provider.name} ended its answer without a finish reason`);

/** Writes down what was run. */
function noteSteps(ran: readonly RanCall[], pipeline: PipelineStage[], observer: GenerationObserver): void {
  for (const { step, search } of ran) {
    observer.noteToolStep(step);
    if (search !== undefined) observer.noteSearch(search);
    pipeline.push({ type: 'server_tools', name: step.tool, data: { status: step.status, was_run: step.wasRun } });
  }
}

/** What the caller is told of tools that were run. */
function tellSteps(ran: readonly RanCall[], places: AnswerPlaces): ChatChunk {
  const reasoning_details = ran.map(({ step }) => toStepDetail(step, places.details++));
  const annotations = ran.flatMap((call) => call.annotations);
  const delta = { reasoning_details, ...(annotations.length > 0 && { annotations }) };
  return { choices: [{ index: 0, delta, finish_reason: null, native_finish_reason: null }] };
}

/** The end of the answer. Calls that nobody is to answer are not what it ended for. */
function finishOf(read: SplitTurn): ChatChunk {
  const { reason, native } = read.answer.finish ?? { reason: 'stop' as const, native: null };
  const finish_reason = reason === 'tool_calls' && !read.hasForeignCalls() ? 'stop' : reason;
  return { choices: [{ index: 0, delta: {}, finish_reason, native_finish_reason: native }] };
}

interface RanTurn {
  readonly read: SplitTurn;
  readonly calls: readonly ToolCall[];
  readonly ran: readonly RanCall[];
  readonly endpoint: Endpoint;
}

/** The model is asked again with what it called and what came of it, where it is, or else elsewhere. */
function nextTurn({ request, options }: TurnOptions, { read, calls, ran, endpoint }: RanTurn): TurnOptions {
  const { text, reasoning } = read.answer;
  const said: ChatMessage = {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(reasoning !== '' && { reasoning }),
    ...(read.details.length > 0 && { reasoning_details: [...read.details] }),
    tool_calls: [...calls],
  };
  const results = ran.map(({ step }): ChatMessage => ({ role: 'tool', tool_call_id: step.id, content: step.result }));
  const others = options.route.endpoints.filter((other) => other !== endpoint && other.modelId === endpoint.modelId);
  return {
    request: {
      ...request,
      messages: [...request.messages, said, ...results],
      // A tool that had to be called has been.
      ...(isForced(request.tool_choice) && { tool_choice: 'auto' as const }),
    },
    options: { ...options, route: { ...options.route, endpoints: [endpoint, ...others] } },
  };
}

const isForced = (choice: ChatCompletionRequest['tool_choice']): boolean =>
  choice === 'required' || (typeof choice === 'object' && choice !== null);

/** The tools stay described: some wires refuse a conversation with calls of tools that they know nothing of. */
const withoutTools = (turn: TurnOptions): TurnOptions => ({
  ...turn,
  request: { ...turn.request, tool_choice: 'none' },
  isLast: true,
});
