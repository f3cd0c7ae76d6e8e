import type { Outcome } from '../../calls/outcome.ts';
import type { Attempt } from '../../calls/attempt.ts';
import type { Cost } from '../../catalog/prices.ts';
import type { Endpoint } from '../../catalog/catalog.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { Usage } from '../../wire/chat/chat-chunk.ts';
import type { ChatCompletionRequest } from '../../wire/chat/chat-completion.ts';
import type { Generation } from '../../wire/generations/generation.ts';
import type { AnswerAccumulator } from './completion-accumulator.ts';
import type { ToolStep } from '../tool-steps.ts';

/** One search of the web. */
export interface WebSearch {
  readonly engine: string;
  readonly results: number;
}

/** What observing a call uses of a gateway. */
export interface ObservingParts {
  readonly platform: Platform;
  readonly logging: { readonly inputOutput: boolean; readonly maxContentBytes: number };
}

/** What is known of a call when it begins. */
export interface ObservedCall {
  readonly id: string;
  readonly context: Pick<RequestContext<ObservingParts>, 'request' | 'principal' | 'parts'>;
  readonly request: ChatCompletionRequest;
  readonly sessionId: string | null;
  /** The region whose host the call came to; its contents are not stored then. */
  readonly region: string | null;
  /** The router that chose the model, by the slug it was asked by; null without one. */
  readonly router: string | null;
  /** Length of the request's body. */
  readonly bodyLength: number;
  /** What guardrails did; may grow until the call has ended. */
  readonly pipeline: NonNullable<Generation['pipeline']>;
}

/** A call that has ended, and all that came of it. */
export interface EndedCall {
  readonly call: ObservedCall;
  readonly answer: AnswerAccumulator;
  readonly attempts: readonly Attempt[];
  readonly endpoint: Endpoint | undefined;
  readonly outcome: Outcome;
  readonly usage: Usage | undefined;
  readonly cost: Cost | null;
  readonly startedAt: number;
  readonly durationMs: number;
  /** The generation whose answer was repeated. */
  readonly replayOf: string | null;
  readonly steps: readonly ToolStep[];
  readonly searches: readonly WebSearch[] | null;
}
