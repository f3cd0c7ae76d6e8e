import type { Principal } from '../auth/principal.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import type { ChatChunk, Usage } from '../schemas/chat-chunk.ts';
import type { GenerationRecord, StoredContent } from '../stores/store.ts';
import { type AnswerAccumulator, createAnswerAccumulator } from './answer-accumulator.ts';
import type { Attempt, EndedCall, ObservedCall, Outcome, WebSearch } from './observed-call.ts';
import { type Spending, spendingOf, sumSpending, type Turn } from './spending.ts';
import { recordTimeline, withTimeline } from './stream-timeline.ts';
import { toGeneration } from './to-generation.ts';
import { toGenerationContent } from './to-generation-content.ts';
import { toToldUsage } from './told-usage.ts';
import { lengthOf, type ToolStep } from './tool-steps.ts';

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
  const { platform, logging } = call.context.runtime;
  const startedAt = platform.now();
  const startedMonotonic = platform.monotonicNow();
  const isContentStored = logging.inputOutput && call.region === null;
  const isStream = call.request.stream === true;
  const answer = createAnswerAccumulator({
    maxLength: isContentStored ? logging.maxContentBytes : 0,
    // A whole answer comes at once, and is written down at once.
    openScratch: isContentStored && isStream ? platform.openScratch : undefined,
  });
  const isTimed = isContentStored && isStream;
  const timeline = isTimed ? recordTimeline(platform, startedMonotonic) : null;
  const attempts: Attempt[] = [];
  let endpoint: Endpoint | undefined;
  let isSettled = false;
  let replayOf: string | null = null;
  let turns: Turn[] | null = null;
  let toolSteps: ToolStep[] | null = null;
  let searches: WebSearch[] | null = null;

  const spending = (): Spending | undefined => {
    if (endpoint === undefined) return undefined;
    const at = platform.now();
    const [first = { endpoint, messages: call.request.messages, answer }, ...others] = turns ?? [];
    return sumSpending(
      spendingOf(first, at),
      others.map((turn) => spendingOf(turn, at)),
    );
  };

  return {
    id: call.id,
    answer,
    endpoint: () => endpoint,
    attempts: () => attempts,
    isSettled: () => isSettled,
    noteAttempt(attempt) {
      attempts.push(attempt);
      if (attempt.error === null) ({ endpoint } = attempt);
    },
    noteReplay(served, sourceId) {
      endpoint = served;
      replayOf = sourceId;
    },
    noteTurn: (turn) => void (turns ??= []).push(turn),
    noteToolStep: (step) => void (toolSteps ??= []).push(step),
    noteSearch: (search) => void (searches ??= []).push(search),
    spending,
    observe:
      timeline === null
        ? answer.observe
        : (chunks) => {
            answer.observe(chunks);
            timeline.note(answer);
          },
    settle(outcome) {
      isSettled = true;
      answer.unpack();
      const { usage, cost = null } = spending() ?? {};
      const steps = toolSteps ?? NO_STEPS;
      const durationMs = platform.monotonicNow() - startedMonotonic;
      const ended: EndedCall = {
        call,
        answer,
        attempts,
        endpoint,
        outcome,
        usage,
        cost,
        startedAt,
        durationMs,
        replayOf,
        steps,
        searches,
      };
      const generation = toGeneration(ended);
      const { id: principalId, userId } = call.context.principal;
      return {
        usage: usage && toToldUsage(usage, ended),
        record: { generation, principalId, ...(userId !== undefined && { userId }), costNanoUsd: cost?.nanoUsd ?? 0 },
        principal: call.context.principal,
        content: isContentStored && isWhole(answer) ? withTimeline(toGenerationContent(ended), timeline) : null,
        contentLength: call.bodyLength + lengthOfTexts(answer) + lengthOf(steps),
      };
    },
  };
}

const NO_STEPS: readonly ToolStep[] = [];

function isWhole({ packedTextLength, packedReasoningLength }: AnswerAccumulator): boolean {
  return packedTextLength === 0 && packedReasoningLength === 0;
}

function lengthOfTexts({ text, reasoning, packedTextLength, packedReasoningLength }: AnswerAccumulator): number {
  return packedTextLength + text.length + packedReasoningLength + reasoning.length;
}
