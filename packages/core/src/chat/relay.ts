import type { GenerationObserver } from '../generations/observe-generation.ts';
import type { Route } from '../routing/plan-route.ts';
import type { Runtime } from '../runtime.ts';
import type { ChatCompletionRequest } from '../schemas/chat-completion.ts';

/** One checked and routed chat request, ready to be run. */
export interface ChatRelay {
  readonly runtime: Runtime;
  readonly request: ChatCompletionRequest;
  readonly route: Route;
  readonly observer: GenerationObserver;
  /** Fires when the client has gone away. */
  readonly clientSignal: AbortSignal;
  /** Unix seconds, for the answer. */
  readonly created: number;
  /** The caller asked for an answer without its reasoning. */
  readonly hideReasoning: boolean;
  /** Headers of the answer that are the same streamed and whole. */
  readonly headers: Record<string, string>;
}
