import type { Attempt, Outcome } from '../calls/attempt.ts';
import type { ModelCall, Pipeline, StepTimes } from '../calls/model-call.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import type { Cost, MadeMedia } from '../catalog/prices.ts';
import type { FinishReason, UpstreamCosts, UpstreamFacts, Usage } from '../wire/chat-chunk.ts';
import type { ChatMessage } from '../wire/chat-request.ts';
import type { CallTimeline, TimelineStep } from '../wire/generation.ts';
import type { RoutingDecision } from '../wire/routing.ts';

/** A call of any kind that has ended, with all facts for its record. */
export interface EndedCall {
  readonly call: ModelCall;
  readonly pipeline: Pipeline;
  readonly stepTimes: StepTimes;
  /** Null when there was nothing to decide, or contents are not stored. */
  readonly decision: RoutingDecision | null;
  readonly attempts: readonly Attempt[];
  /** The endpoint that served it; undefined when none did. */
  readonly endpoint: Endpoint | undefined;
  readonly outcome: Outcome;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly usage: Usage | undefined;
  /** Null when a price is not known. */
  readonly cost: Cost | null;
  readonly completion: CompletionFacts;
  /** Null for calls that are no part of one. */
  readonly conversation: Conversation | null;
  /** The generation whose completion was repeated; null for none. */
  readonly replayOf: string | null;
  readonly steps: readonly ToolStep[];
  readonly searches: readonly WebSearch[] | null;
  /** The response went to the caller piece by piece. */
  readonly isStreamed: boolean;
}

/** The turn of a conversation that a call is, as it begins. */
export interface Conversation {
  /** To be stored, and to estimate usage by where upstream counts none. */
  readonly messages: ChatMessage[];
  readonly isStreamed: boolean;
  /** The router that chose the model, as the slug in the request; null without one. */
  readonly router: string | null;
  /** Length of the request's body. */
  readonly bodyLength: number;
}

/** Facts from upstream about a completion, beside its contents. */
export interface CompletionFacts {
  readonly upstreamId: string | undefined;
  readonly finish: { readonly reason: FinishReason; readonly native: string | null } | undefined;
  readonly serviceTier: string | undefined;
  readonly upstreamCostUsd: number | undefined;
  readonly upstreamCosts?: UpstreamCosts | undefined;
  readonly upstream?: UpstreamFacts | undefined;
  /** Pictures that went in with a call that is no conversation. */
  readonly images?: number | undefined;
  readonly made?: MadeMedia | undefined;
}

export interface WebSearch {
  readonly engine: string;
  readonly results: number;
}

/** One call of a server tool, as it is recorded. */
export interface ToolStep {
  readonly id: string;
  /** Name without the prefix: `web_search`. */
  readonly tool: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
  /** Result that the model received. */
  readonly result: string;
  readonly status: 'completed' | 'failed';
  /** False where a limit or a guardrail prevented the tool from running. */
  readonly wasRun: boolean;
}

/** A step beside the attempts, with its times on the monotonic clock. */
export interface TimedStep extends Pick<TimelineStep, 'kind' | 'name'> {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly hasFailed?: boolean;
}

/** The steps before a call was admitted, at `admittedAt`. */
export function toBefore(stepTimes: StepTimes, admittedAt: number): CallTimeline['before_ms'] {
  const { receivedAt, readAt, guardedAt, plannedAt } = stepTimes;
  return {
    request: toMs(receivedAt, readAt),
    guardrails: toMs(readAt, guardedAt),
    routing: toMs(guardedAt, plannedAt),
    rate_limits: toMs(plannedAt, admittedAt),
  };
}

/** Whole milliseconds between two moments of the monotonic clock. */
export const toMs = (from: number, to: number): number => Math.max(0, Math.round(to - from));

export function toStep({ kind, name, startedAt, endedAt, hasFailed }: TimedStep, callStartedAt: number): TimelineStep {
  const step: TimelineStep = { kind, name, at_ms: toMs(callStartedAt, startedAt), took_ms: toMs(startedAt, endedAt) };
  return hasFailed === true ? { ...step, has_failed: true } : step;
}
