import type { Attempt, Outcome } from '../../calls/attempt.ts';
import type { Endpoint } from '../../catalog/catalog.ts';
import type { ChatChunk } from '../../wire/chat/chat-chunk.ts';
import type { EndedCall, ToolStep, WebSearch } from '../ended-call.ts';
import { type SettledGeneration, toSettled } from '../settled-generation.ts';
import { toGenerationContent } from '../to-generation.ts';
import { type CompletionAccumulator, createCompletionAccumulator } from './completion-accumulator.ts';
import type { ObservedCall } from './observed-call.ts';
import { countParts, type Spending, spendingOf, sumSpending, type Turn } from './spending.ts';
import { recordTimeline, type TimelineRecorder, withTimeline } from './stream-timeline.ts';

/** Follows one call from its first attempt to its end. */
export interface GenerationObserver {
  readonly completion: CompletionAccumulator;
  /** The endpoint whose completion is being relayed. */
  endpoint(): Endpoint | undefined;
  /** Every endpoint that was called, in order. */
  attempts(): readonly Attempt[];
  isSettled(): boolean;
  noteAttempt(attempt: Attempt): void;
  /** Used instead of `noteAttempt` when a completion is repeated: its endpoint, and the generation it was made for. */
  noteReplay(endpoint: Endpoint, sourceId: string): void;
  /** A further completion begins within the call; from then on, usage and cost are sums over all completions. */
  noteTurn(turn: Turn): void;
  noteToolStep(step: ToolStep): void;
  /** The web was searched within the call. */
  noteSearch(search: WebSearch): void;
  /** Spending so far; undefined while no completion has begun. */
  spending(): Spending | undefined;
  observe(chunks: readonly ChatChunk[]): void;
  /** Call once. Makes the record; the recorder stores it. */
  settle(outcome: Outcome): SettledGeneration;
}

/** Starts to follow a call, at the moment this is called. */
export function observeGeneration(call: ObservedCall): GenerationObserver {
  return new Observer(call);
}

/** A class, because there is one for every call, and closures take more memory (docs/decisions/0016). */
class Observer implements GenerationObserver {
  readonly completion: CompletionAccumulator;
  private readonly call: ObservedCall;
  private readonly startedAt: number;
  private readonly startedMonotonic: number;
  private readonly isContentStored: boolean;
  private readonly timeline: TimelineRecorder | null;
  private readonly asked: Attempt[] = [];
  private completionEndpoint: Endpoint | undefined = undefined;
  private isOver = false;
  private replayOf: string | null = null;
  private turns: Turn[] | null = null;
  private toolSteps: ToolStep[] | null = null;
  private searches: WebSearch[] | null = null;

  constructor(call: ObservedCall) {
    const { platform, logging } = call;
    this.call = call;
    this.startedAt = platform.now();
    this.startedMonotonic = platform.monotonicNow();
    this.isContentStored = logging.inputOutput && call.call.region === null;
    const isStoredAsStreamed = this.isContentStored && call.isStreamed;
    this.timeline = isStoredAsStreamed ? recordTimeline(platform, this.startedMonotonic) : null;
    this.completion = createCompletionAccumulator({
      maxLength: this.isContentStored ? logging.maxContentBytes : 0,
      // An unstreamed completion arrives at once, and is recorded at once.
      openScratch: isStoredAsStreamed ? platform.openScratch : undefined,
    });
  }

  endpoint(): Endpoint | undefined {
    return this.completionEndpoint;
  }

  attempts(): readonly Attempt[] {
    return this.asked;
  }

  isSettled(): boolean {
    return this.isOver;
  }

  noteAttempt(attempt: Attempt): void {
    this.asked.push(attempt);
    if (attempt.error === null) this.completionEndpoint = attempt.endpoint;
  }

  noteReplay(served: Endpoint, sourceId: string): void {
    this.completionEndpoint = served;
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
    const { completionEndpoint: endpoint, completion, call } = this;
    if (endpoint === undefined) return undefined;
    const at = call.platform.now();
    if (this.turns === null) return spendingOf({ endpoint, messages: call.messages, completion }, at);
    const [first, ...others] = this.turns.map((turn) => spendingOf(turn, at));
    return first && sumSpending(first, others);
  }

  observe(chunks: readonly ChatChunk[]): void {
    this.completion.observe(chunks);
    this.timeline?.note(this.completion);
  }

  settle(outcome: Outcome): SettledGeneration {
    const { completion, toolSteps, searches, timeline } = this;
    const { call, messages, isStreamed, router, pipeline, platform, bodyLength } = this.call;
    this.isOver = true;
    const isWhole = completion.readBack();
    const { usage, cost = null } = this.spending() ?? {};
    const steps = toolSteps ?? NO_STEPS;
    const ended: EndedCall = {
      call,
      pipeline,
      attempts: this.asked,
      endpoint: this.completionEndpoint,
      outcome,
      startedAt: this.startedAt,
      durationMs: platform.monotonicNow() - this.startedMonotonic,
      usage,
      cost,
      completion,
      conversation: {
        isStreamed,
        router,
        media: { images: countParts(messages, 'image_url'), audio: countParts(messages, 'input_audio') },
        replayOf: this.replayOf,
        steps,
        searches,
      },
    };
    const isStored = this.isContentStored && isWhole;
    return toSettled(ended, {
      content: isStored ? withTimeline(toGenerationContent(ended, messages, completion), timeline) : null,
      contentLength: bodyLength + completion.textLength + completion.reasoningLength + lengthOf(steps),
    });
  }
}

const NO_STEPS: readonly ToolStep[] = [];

/** About how much room steps take in a record, in characters. */
function lengthOf(steps: readonly ToolStep[]): number {
  return steps.reduce((sum, step) => sum + step.arguments.length + step.result.length, 0);
}
