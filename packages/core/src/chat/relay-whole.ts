import { toCallError } from '../dispatch/call-errors.ts';
import { trackCall } from '../dispatch/track-call.ts';
import type { GatewayError } from '../foundation/errors.ts';
import { raceAbort } from '../foundation/race-abort.ts';
import type { GenerationObserver } from '../generations/observe/observe-generation.ts';
import type { SettledGeneration } from '../generations/settled-generation.ts';
import { type GatewayResponse, toJsonResponse } from '../http/response.ts';
import type { Outcome } from '../calls/outcome.ts';
import { withReport } from '../routing/routing-metadata.ts';
import type { ChatChunk, ChatCompletionResult, ChatDelta } from '../wire/chat/chat-chunk.ts';
import type { ChatRun } from './chat-run.ts';
import { type CommittedCompletion, NOTHING_MORE } from './committed-completion.ts';
import { isReasoningHidden } from './is-reasoning-hidden.ts';
import { noteEnd } from './note-end.ts';
import type { Begin } from './stages/stage.ts';

/** Runs a call and hands its completion on in one piece. Throws what ended it; either way it has been recorded once. */
export async function relayWhole(run: ChatRun, begin: Begin): Promise<GatewayResponse> {
  const { call, plan, observer, report, parts } = run;
  const createdAt = Math.floor(parts.platform.now() / 1000);
  const tracked = trackCall(parts.openCalls, run.client, false);
  const { signal } = tracked;
  let completion: CommittedCompletion | undefined;
  try {
    completion = await begin({ request: call.request, endpoints: plan.endpoints, signal });
    observer.observe(completion.first);
    signal.throwIfAborted();
    if (completion.rest !== NOTHING_MORE) await raceAbort(readToEnd(completion.rest, observer), signal);
    const outcome: Outcome = { status: 'completed' };
    const settled = observer.settle(outcome);
    noteEnd(run, completion, outcome, settled.usage);
    await parts.recorder.recordCall(settled, outcome);
    return toJsonResponse(200, toResult(run, completion.first, { settled, createdAt }), run.responseHeaders);
  } catch (thrown) {
    const error = toCallError(signal.aborted ? signal.reason : thrown, observer.endpoint()?.provider.name ?? '');
    if (completion !== undefined && !signal.aborted && !observer.isSettled()) {
      noteEnd(run, completion, { status: 'failed', error }, undefined);
    }
    await recordFailure(run, error);
    throw withReport(error, report, { attempts: observer.attempts(), hasFailed: true });
  } finally {
    tracked.end();
  }
}

/** An unstreamed completion comes as one batch; reading on lets the provider finish and say so if it could not. */
async function readToEnd(rest: AsyncIterator<readonly ChatChunk[]>, observer: GenerationObserver): Promise<void> {
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) observer.observe(next.value);
}

async function recordFailure({ observer, parts }: ChatRun, error: GatewayError): Promise<void> {
  if (observer.isSettled()) return;
  const outcome: Outcome = { status: error.code === 'client_closed_request' ? 'cancelled' : 'failed', error };
  await parts.recorder.recordCall(observer.settle(outcome), outcome);
}

interface WholeEnd {
  readonly settled: SettledGeneration;
  /** Unix seconds. */
  readonly createdAt: number;
}

function toResult(
  run: ChatRun,
  chunks: readonly ChatChunk[],
  { settled: { usage, record }, createdAt }: WholeEnd,
): ChatCompletionResult {
  const { observer, call, report } = run;
  const { completion } = observer;
  const endpoint = observer.endpoint();
  const hidesReasoning = isReasoningHidden(call.request);
  const result: ChatCompletionResult = {
    id: call.id,
    object: 'chat.completion',
    created: createdAt,
    model: endpoint?.modelId ?? '',
    provider: endpoint?.provider.name ?? '',
    choices: [],
    system_fingerprint: completion.systemFingerprint ?? null,
  };
  for (const { choices } of chunks) {
    for (const { index, delta, finish_reason, native_finish_reason, logprobs = null } of choices) {
      const message = toMessage(delta, hidesReasoning);
      result.choices.push({ index, finish_reason, native_finish_reason, logprobs, message });
    }
  }
  if (completion.serviceTier !== undefined) result.service_tier = completion.serviceTier;
  if (usage !== undefined) result.usage = usage;
  if (report === null) return result;
  const generationMs = record.generation.generation_time;
  return { ...result, ...report.toMembers({ attempts: observer.attempts(), hasFailed: false, generationMs }) };
}

type ResultMessage = ChatCompletionResult['choices'][number]['message'];

function toMessage(delta: ChatDelta, hidesReasoning: boolean): ResultMessage {
  const { content = null, refusal = null, reasoning = null } = delta;
  const message: ResultMessage = { role: 'assistant', content, refusal, reasoning: hidesReasoning ? null : reasoning };
  if (delta.reasoning_details && !hidesReasoning) message.reasoning_details = delta.reasoning_details;
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
