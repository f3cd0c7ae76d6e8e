import type { Outcome } from '../calls/attempt.ts';
import type { PreparedCall } from '../dispatch/prepare-call.ts';
import { noteOutcome } from '../dispatch/run-attempts.ts';
import type { Platform } from '../foundation/platform.ts';
import { type GenerationLogging, type GenerationObserver, observeGeneration } from '../generations/observer.ts';
import { firstValue, type GatewayRequest } from '../http/request.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import type { ChatRun } from './chat-run.ts';
import type { CommittedCompletion } from './committed-completion.ts';

interface ObservingParts {
  readonly platform: Platform;
  readonly logging: GenerationLogging;
}

/** Starts to follow a chat call for its record, at the moment this is called. */
export function observeChat(
  { call, plan, pipeline, marks, decision }: PreparedCall<ChatCompletionRequest>,
  client: ChatRun['client'],
  { platform, logging }: ObservingParts,
): GenerationObserver {
  const { messages, stream } = call.request;
  return observeGeneration({
    call,
    messages,
    isStreamed: stream === true,
    router: plan.strategy === 'auto' || plan.strategy === 'free' ? plan.requested : null,
    bodyLength: bodyLengthOf(client, call.request),
    pipeline,
    marks,
    decision,
    platform,
    logging,
  });
}

/** The client's content-length, which is exact; only a chunked or compressed body has to be measured. */
function bodyLengthOf({ headers }: Pick<GatewayRequest, 'headers'>, { messages }: ChatCompletionRequest): number {
  const isExact = headers['content-length'] !== undefined && headers['content-encoding'] === undefined;
  return isExact ? Number(firstValue(headers['content-length'])) : JSON.stringify(messages).length;
}

/** Reports the end of a completion to its endpoint's health, unless that has been done already. */
export function noteEnd(
  { parts }: ChatRun,
  { endpoint, startedAt, isAccountedFor }: CommittedCompletion,
  outcome: Outcome,
  usage: Usage | undefined,
): void {
  if (isAccountedFor !== true) noteOutcome({ endpoint, startedAt, outcome, usage }, parts.attempts);
}
