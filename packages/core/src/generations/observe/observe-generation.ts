import type { Outcome } from '../../calls/outcome.ts';
import type { Attempt } from '../../calls/attempt.ts';
import type { Principal } from '../../http/principal.ts';
import type { Endpoint } from '../../catalog/catalog.ts';
import type { ChatChunk, Usage } from '../../wire/chat/chat-chunk.ts';
import type { GenerationRecord, StoredContent } from '../../stores/store.ts';
import { type AnswerAccumulator, createAnswerAccumulator } from './completion-accumulator.ts';
import type { EndedCall, ObservedCall, WebSearch } from './observed-call.ts';
import { type Spending, spendingOf, sumSpending, type Turn } from './spending.ts';
import { recordTimeline, type TimelineRecorder, withTimeline } from './stream-timeline.ts';
import { toGeneration } from '../to-generation.ts';
import { toGenerationContent } from '../to-generation-content.ts';
import { toToldUsage } from '../public-usage.ts';
import { lengthOf, type ToolStep } from '../tool-steps.ts';

/** A call that has ended, with everything there is to know of it. */
export interface SettledGeneration {
  /** As the caller is told; undefined when nothing was used. */
  readonly usage: Usage | undefined;
  readonly record: GenerationRecord;
  readonly principal: Principal;
  /** Null when contents are not to be stored. */
  readonly content: StoredContent | null;
  /** About how long the content is in characters. */
  readonly contentLength: number;
}

/** Follows one call from its first attempt to its end. */
export interface GenerationObserver {
  readonly id: string;
  readonly answer: AnswerAccumulator;
  /** The endpoint whose answer is being relayed. */
  endpoint(): Endpoint | undefined;
  /** Every endpoint that was asked, in order. */
  attempts(): readonly Attempt[];
  isSettled(): boolean;
  noteAttempt(attempt: Attempt): void;
  /** Says instead of `noteAttempt` that the answer is repeated: whose it is, and the generation it was made for. */
  noteReplay(endpoint: Endpoint, sourceId: string): void;
  /** A further answer begins within the call. From the first one on, usage and cost are those of all of them. */
  noteTurn(turn: Turn): void;
  noteToolStep(step: ToolStep): void;
  /** The web was searched within the call. */
  noteSearch(search: WebSearch): void;
  /** So far; undefined while no answer has begun. */
  spending(): Spending | undefined;
  observe(chunks: readonly ChatChunk[]): void;
  /** Call once. Makes the record; writing it is `recordGeneration`'s. */
  settle(outcome: Outcome): SettledGeneration;
}

/** Starts to follow a call, at the moment this is called. */
export function observeGeneration(call: ObservedCall): GenerationObserver {
  return new Observer(call);
}

/** A class, because there is one for every call: closures would take more memory than all they know. */
class Observer implements GenerationObserver {
  readonly answer: AnswerAccumulator;
  private readonly call: ObservedCall;
  private readonly startedAt: number;
  private readonly startedMonotonic: number;
  private readonly isContentStored: boolean;
  private readonly timeline: TimelineRecorder | null;
  private readonly asked: Attempt[] = [];
  private answering: Endpoint | undefined = undefined;
  private isOver = false;
  private replayOf: string | null = null;
  private turns: Turn[] | null = null;
  private toolSteps: ToolStep[] | null = null;
  private searches: WebSearch[] | null = null;

  constructor(call: ObservedCall) {
    const { platform, logging } = call.context.parts;
    this.call = call;
    this.startedAt = platform.now();
    this.startedMonotonic = platform.monotonicNow();
    this.isContentStored = logging.inputOutput && call.region === null;
    const isKeptAsStreamed = this.isContentStored && call.request.stream === true;
    this.timeline = isKeptAsStreamed ? recordTimeline(platform, this.startedMonotonic) : null;
    this.answer = createAnswerAccumulator({
      maxLength: this.isContentStored ? logging.maxContentBytes : 0,
      // A whole answer comes at once, and is written down at once.
      openScratch: isKeptAsStreamed ? platform.openScratch : undefined,
    });
  }

  get id(): string {
    return this.call.id;
  }

  endpoint(): Endpoint | undefined {
    return this.answering;
  }

  attempts(): readonly Attempt[] {
    return this.asked;
  }

  isSettled(): boolean {
    return this.isOver;
  }

  noteAttempt(attempt: Attempt): void {
    this.asked.push(attempt);
    if (attempt.error === null) this.answering = attempt.endpoint;
  }

  noteReplay(served: Endpoint, sourceId: string): void {
    this.answering = served;
    this.replayOf = sourceId;
  }

  noteTurn(turn: Turn): void {
    (this.turns ??= []).push(turn);
  }

  noteToolStep(step: ToolStep): void {
    (this.toolSteps ??= []).push(step);
  }

  noteSearch(search: WebSearch): void {
    (this.searches ??= []).push(search);
  }

  spending(): Spending | undefined {
    const { answering: endpoint, answer, call } = this;
    if (endpoint === undefined) return undefined;
    const at = call.context.parts.platform.now();
    if (this.turns === null) return spendingOf({ endpoint, messages: call.request.messages, answer }, at);
    const [first, ...others] = this.turns.map((turn) => spendingOf(turn, at));
    return first && sumSpending(first, others);
  }

  observe(chunks: readonly ChatChunk[]): void {
    this.answer.observe(chunks);
    this.timeline?.note(this.answer);
  }

  settle(outcome: Outcome): SettledGeneration {
    const { call, answer, toolSteps, searches, timeline } = this;
    const { principal, parts } = call.context;
    this.isOver = true;
    answer.unpack();
    const { usage, cost = null } = this.spending() ?? {};
    const steps = toolSteps ?? NO_STEPS;
    const ended: EndedCall = {
      call,
      answer,
      attempts: this.asked,
      endpoint: this.answering,
      outcome,
      usage,
      cost,
      startedAt: this.startedAt,
      durationMs: parts.platform.monotonicNow() - this.startedMonotonic,
      replayOf: this.replayOf,
      steps,
      searches,
    };
    const generation = toGeneration(ended);
    const { id: principalId, userId } = principal;
    return {
      usage: usage && toToldUsage(usage, ended),
      record: { generation, principalId, ...(userId !== undefined && { userId }), costNanoUsd: cost?.nanoUsd ?? 0 },
      principal,
      content: this.isContentStored && isWhole(answer) ? withTimeline(toGenerationContent(ended), timeline) : null,
      contentLength: call.bodyLength + lengthOfTexts(answer) + lengthOf(steps),
    };
  }
}

const NO_STEPS: readonly ToolStep[] = [];

function isWhole({ packedTextLength, packedReasoningLength }: AnswerAccumulator): boolean {
  return packedTextLength === 0 && packedReasoningLength === 0;
}

function lengthOfTexts({ text, reasoning, packedTextLength, packedReasoningLength }: AnswerAccumulator): number {
  return packedTextLength + text.length + packedReasoningLength + reasoning.length;
}
