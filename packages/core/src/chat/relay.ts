import type { GenerationObserver } from '../generations/observe/observe-generation.ts';
import type { AnswerGuardOptions } from '../guardrails/guard-answer.ts';
import type { GatewayRequest } from '../http/request.ts';
import type { RoutePlan } from '../routing/plan-route.ts';
import type { RoutingReport } from '../routing/routing-metadata.ts';
import type { Runtime } from '../runtime.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';
import type { FitRequest } from './stages/prompt-compression/shorten-prompt.ts';
import type { BeginAnswer } from '../dispatch/run-attempts.ts';

/** One checked and routed chat request, ready to be run. */
export interface ChatRelay {
  readonly runtime: Runtime;
  readonly request: ChatCompletionRequest;
  readonly route: RoutePlan;
  /** Null when the caller did not ask how its request was routed. */
  readonly report: RoutingReport | null;
  readonly observer: GenerationObserver;
  /** Begins the answer. Throws what ends the call before it. */
  readonly begin: BeginAnswer;
  /** Null when no guardrail looks at answers. */
  readonly guard: AnswerGuardOptions | null;
  /** Null when the request goes to every endpoint as it is. */
  readonly fit: FitRequest | null;
  /** The request, for as long as its client is there. */
  readonly client: Pick<GatewayRequest, 'signal' | 'abort'>;
  /** Unix seconds, for the answer. */
  readonly created: number;
  /** The caller asked for an answer without its reasoning. */
  readonly hideReasoning: boolean;
  /** Headers of the answer that are the same streamed and whole. */
  readonly headers: Record<string, string>;
}
