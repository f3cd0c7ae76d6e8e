import { type Outcome, outcomeOf } from '../calls/attempt.ts';
import { toCallError } from '../dispatch/ask-endpoint.ts';
import { trackCall } from '../dispatch/open-calls.ts';
import { raceAbort } from '../foundation/awaitable.ts';
import type { CallObserver } from '../generations/observer.ts';
import { type GatewayResponse, toJsonResponse } from '../http/response.ts';
import type { ChatRun } from './chat-run.ts';
import { type CommittedCompletion, failureOf, noteEnd } from './committed-completion.ts';
import { describeError, envelopeOf, keepForm, routingOf } from './frames.ts';
import type { Begin } from './stages/stage.ts';

/**
 * Runs a call and returns its completion in one piece, or throws what ended it, recorded once (docs/decisions/0012). A
 * completion that upstream broke off is returned with its error, and recorded as failed (docs/decisions/0027).
 */
export async function relayWhole(run: ChatRun, begin: Begin): Promise<GatewayResponse> {
  const { call, plan, observer, encoder, parts } = run;
  const created = parts.platform.now();
  const tracked = trackCall(parts.openCalls, run.client, { stream: null, followed: observer });
  const { signal } = tracked;
  let completion: CommittedCompletion | undefined;
  try {
    completion = await begin({ request: call.request, endpoints: plan.endpoints, signal });
    observer.observe(completion.first);
    signal.throwIfAborted();
    if (completion.rest !== null) await raceAbort(readToEnd(completion.rest, observer), signal);
    const failure = failureOf(observer.completion, completion.endpoint.provider.name);
    const outcome: Outcome = failure === null ? { status: 'completed' } : { status: 'failed', error: failure };
    const settled = observer.settle(outcome);
    noteEnd(run, completion, outcome, settled.usage);
    keepForm(run, { settled, outcome, created, chunks: completion.first });
    await parts.recorder.recordCall(settled, outcome, run.client);
    const whole = {
      ...envelopeOf(run, created),
      chunks: completion.first,
      failure: failure && describeError(failure, run),
      citations: observer.completion.upstream?.citations,
      usage: settled.usage,
      members: routingOf(run, settled),
      timing: settled.record.generation,
    };
    return toJsonResponse(200, encoder.toWhole(whole, call.request), run.responseHeaders);
  } catch (thrown) {
    const error = toCallError(signal.aborted ? signal.reason : thrown, observer.endpoint()?.provider.name ?? '');
    if (observer.isSettled()) throw describeError(error, run);
    const outcome = outcomeOf(error);
    if (completion !== undefined && !signal.aborted) noteEnd(run, completion, outcome, undefined);
    await parts.recorder.recordCall(observer.settle(outcome), outcome, run.client);
    throw describeError(error, run);
  } finally {
    tracked.end();
  }
}

/** An unstreamed completion is one batch; a further read lets the provider finish, or throw if it could not. */
async function readToEnd(rest: NonNullable<CommittedCompletion['rest']>, observer: CallObserver): Promise<void> {
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) observer.observe(next.value);
}
