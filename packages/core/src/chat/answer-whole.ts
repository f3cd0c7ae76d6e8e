import type { GatewayError } from '../errors.ts';
import type { GenerationObserver, Outcome, SettledGeneration } from '../generations/observe-generation.ts';
import { recordGeneration } from '../generations/record-generation.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';
import { withReport } from '../routing/routing-metadata.ts';
import type { ChatCompletionResult, ChatDelta } from '../schemas/chat-chunk.ts';
import type { ChatChunk } from '../schemas/chat-chunk.ts';
import { noteOutcome } from './note-outcome.ts';
import { openCall } from './open-call.ts';
import type { ChatRelay } from './relay.ts';
import { type CommittedAnswer, NOTHING_MORE, raceAbort, toCallError } from './run-attempts.ts';

/** Runs a call and answers it in one piece. Throws what ended it; either way it has been recorded once. */
export async function answerWhole(relay: ChatRelay): Promise<GatewayResponse> {
  const { runtime, request, route, observer, guard, fit } = relay;
  const life = openCall(runtime, relay.clientSignal, false);
  const { signal } = life;
  let answer: CommittedAnswer | undefined;
  try {
    answer = await relay.begin({ runtime, request, route, observer, guard, fit, signal });
    observer.observe(answer.first);
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
  return {
    id,
    object: 'chat.completion',
    created: relay.created,
    model: relay.observer.endpoint()?.modelId ?? '',
    provider: relay.observer.endpoint()?.provider.name ?? '',
    choices: chunks
      .flatMap(({ choices }) => choices)
      .map((choice) => ({
        index: choice.index,
        finish_reason: choice.finish_reason,
        native_finish_reason: choice.native_finish_reason,
        logprobs: choice.logprobs ?? null,
        message: toMessage(choice.delta, relay.hideReasoning),
      })),
    system_fingerprint: answer.systemFingerprint ?? null,
    ...(answer.serviceTier !== undefined && { service_tier: answer.serviceTier }),
    ...(usage && { usage }),
    ...relay.report?.toMembers({
      attempts: relay.observer.attempts(),
      hasFailed: false,
      generationMs: record.generation.generation_time,
    }),
  };
}

type ResultMessage = ChatCompletionResult['choices'][number]['message'];

function toMessage(delta: ChatDelta, hideReasoning: boolean): ResultMessage {
  const { content, refusal, reasoning, reasoning_details, tool_calls, role: _, ...others } = delta;
  return {
    role: 'assistant',
    content: content ?? null,
    refusal: refusal ?? null,
    reasoning: hideReasoning ? null : (reasoning ?? null),
    ...(reasoning_details && !hideReasoning && { reasoning_details }),
    ...(tool_calls && {
      tool_calls: tool_calls.map(({ id, function: called }) => ({
        id: id ?? '',
        type: 'function' as const,
        function: { name: called.name ?? '', arguments: called.arguments },
      })),
    }),
    ...others,
  };
}
