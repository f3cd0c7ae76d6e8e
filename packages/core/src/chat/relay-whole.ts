import type { Outcome } from '../calls/outcome.ts';
import type { GatewayError } from '../foundation/errors.ts';
import type { GenerationObserver, SettledGeneration } from '../generations/observe/observe-generation.ts';
import { recordGeneration } from '../dispatch/record-generation.ts';
import { type GatewayResponse, toJsonResponse } from '../http/response.ts';
import { withReport } from '../routing/routing-metadata.ts';
import type { ChatCompletionResult, ChatDelta } from '../wire/chat/chat-chunk.ts';
import type { ChatChunk } from '../wire/chat/chat-chunk.ts';
import { toCallError } from '../dispatch/call-errors.ts';
import { noteOutcome } from '../dispatch/note-outcome.ts';
import { openCall } from '../dispatch/track-call.ts';
import { raceAbort } from '../foundation/race-abort.ts';
import type { ChatRelay } from './relay.ts';
import { type CommittedAnswer, NOTHING_MORE } from '../dispatch/run-attempts.ts';

/** Runs a call and answers it in one piece. Throws what ended it; either way it has been recorded once. */
export async function answerWhole(relay: ChatRelay): Promise<GatewayResponse> {
  const { runtime, request, route, observer, guard, fit } = relay;
  const life = openCall(runtime, relay.client, false);
  const { signal } = life;
  let answer: CommittedAnswer | undefined;
  try {
    answer = await relay.begin({ runtime, request, route, observer, guard, fit, signal });
    observer.observe(answer.first);
    signal.throwIfAborted();
    if (answer.rest !== NOTHING_MORE) await raceAbort(readToEnd(answer.rest, observer), signal);
    const outcome: Outcome = { status: 'completed' };
    const settled = observer.settle(outcome);
    noteOutcome(runtime, answer, outcome, settled.usage);
    await recordGeneration(runtime, settled, outcome);
    return toJsonResponse(200, toResult(relay, answer.first, settled), relay.headers);
  } catch (thrown) {
    const error = toCallError(signal.aborted ? signal.reason : thrown, observer.endpoint()?.provider.name ?? '');
    if (answer !== undefined && !signal.aborted && !observer.isSettled()) {
      noteOutcome(runtime, answer, { status: 'failed', error }, undefined);
    }
    await recordFailure(relay, error);
    throw withReport(error, relay.report, { attempts: observer.attempts(), hasFailed: true });
  } finally {
    life.end();
  }
}

/** An unstreamed answer comes as one batch; reading on lets the provider finish and say so if it could not. */
async function readToEnd(rest: AsyncIterator<readonly ChatChunk[]>, observer: GenerationObserver): Promise<void> {
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) observer.observe(next.value);
}

async function recordFailure({ runtime, observer }: ChatRelay, error: GatewayError): Promise<void> {
  if (observer.isSettled()) return;
  const outcome: Outcome = { status: error.code === 'client_closed_request' ? 'cancelled' : 'failed', error };
  await recordGeneration(runtime, observer.settle(outcome), outcome);
}

function toResult(
  relay: ChatRelay,
  chunks: readonly ChatChunk[],
  { usage, record }: SettledGeneration,
): ChatCompletionResult {
  const { answer, id } = relay.observer;
  const endpoint = relay.observer.endpoint();
  const result: ChatCompletionResult = {
    id,
    object: 'chat.completion',
    created: relay.created,
    model: endpoint?.modelId ?? '',
    provider: endpoint?.provider.name ?? '',
    choices: [],
    system_fingerprint: answer.systemFingerprint ?? null,
  };
  for (const { choices } of chunks) {
    for (const { index, delta, finish_reason, native_finish_reason, logprobs = null } of choices) {
      const message = toMessage(delta, relay.hideReasoning);
      result.choices.push({ index, finish_reason, native_finish_reason, logprobs, message });
    }
  }
  if (answer.serviceTier !== undefined) result.service_tier = answer.serviceTier;
  if (usage !== undefined) result.usage = usage;
  if (relay.report !== null) {
    const attempts = relay.observer.attempts();
    const generationMs = record.generation.generation_time;
    Object.assign(result, relay.report.toMembers({ attempts, hasFailed: false, generationMs }));
  }
  return result;
}

type ResultMessage = ChatCompletionResult['choices'][number]['message'];

function toMessage(delta: ChatDelta, hideReasoning: boolean): ResultMessage {
  const { content = null, refusal = null, reasoning = null } = delta;
  const message: ResultMessage = { role: 'assistant', content, refusal, reasoning: hideReasoning ? null : reasoning };
  if (delta.reasoning_details && !hideReasoning) message.reasoning_details = delta.reasoning_details;
  if (delta.tool_calls) {
    message.tool_calls = delta.tool_calls.map(({ id = '', function: { name = '', arguments: given } }) => ({
      id,
      type: 'function' as const,
      function: { name, arguments: given },
    }));
  }
  if (delta.images !== undefined) message.images = delta.images;
  if (delta.audio !== undefined) message.audio = delta.audio;
  if (delta.annotations !== undefined) message.annotations = delta.annotations;
  return message;
}
