import type { CallMarks, ModelCall, Pipeline } from '../../calls/model-call.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { ChatMessage } from '../../wire/chat-request.ts';
import type { RoutingDecision } from '../../wire/routing.ts';

/** Settings for the stored content of calls. */
export interface GenerationLogging {
  /** Whether prompts and completions are stored. */
  readonly inputOutput: boolean;
  /** A content above this is not stored at all. */
  readonly maxContentBytes: number;
}

/** The facts about a call that are known when it begins. */
export interface ObservedCall {
  readonly call: ModelCall;
  /** The conversation, to be stored, and to estimate usage by where upstream counts none. */
  readonly messages: ChatMessage[];
  readonly isStreamed: boolean;
  /** The router that chose the model, as the slug in the request; null without one. */
  readonly router: string | null;
  /** Length of the request's body. */
  readonly bodyLength: number;
  readonly pipeline: Pipeline;
  readonly marks: CallMarks;
  /** Null when there was nothing to decide, or contents are not stored. */
  readonly decision: RoutingDecision | null;
  readonly platform: Pick<Platform, 'now' | 'monotonicNow' | 'openScratch'>;
  readonly logging: GenerationLogging;
}
