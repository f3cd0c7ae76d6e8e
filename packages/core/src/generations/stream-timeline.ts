import type { Platform } from '../foundation/platform.ts';
import type { StreamTimeline } from '../wire/generation.ts';
import type { CompletionAccumulator } from './completion-accumulator.ts';

/** Records when the text of one completion arrived. */
export interface TimelineRecorder {
  /** Call after every batch. Reads the clock only when the text has grown. */
  note(completion: Lengths): void;
  toTimeline(): StreamTimeline;
}

type Lengths = Pick<CompletionAccumulator, 'textLength' | 'reasoningLength'>;

/** Near the limit of human perception, and shorter than the pauses between most chunks. */
const FIRST_INTERVAL_MS = 20;
/** Some 4 KB in the store. */
const MAX_ARRIVALS = 500;

/** Starts to record; `startedAt` is when the call began, by the monotonic clock. */
export function recordTimeline(platform: Pick<Platform, 'monotonicNow'>, startedAt: number): TimelineRecorder {
  let intervalMs = FIRST_INTERVAL_MS;
  let textLength = 0;
  let reasoningLength = 0;
  /** Beginning of the last arrival, relative to the start. */
  let lastAt = 0;
  let gaps: number[] = [];
  let text: number[] = [];
  let reasoning: number[] = [];

  const add = (at: number, addedText: number, addedReasoning: number): void => {
    const last = gaps.length - 1;
    if (last >= 0 && at - lastAt < intervalMs) {
      text[last] = (text[last] ?? 0) + addedText;
      reasoning[last] = (reasoning[last] ?? 0) + addedReasoning;
      return;
    }
    gaps.push(at - lastAt);
    text.push(addedText);
    reasoning.push(addedReasoning);
    lastAt = at;
  };

  const coarsen = (): void => {
    const fine = { gaps, text, reasoning };
    intervalMs *= 2;
    [gaps, text, reasoning] = [[], [], []];
    let at = 0;
    lastAt = 0;
    for (const [index, gap] of fine.gaps.entries()) {
      at += gap;
      add(at, fine.text[index] ?? 0, fine.reasoning[index] ?? 0);
    }
  };

  return {
    note(completion) {
      const addedText = completion.textLength - textLength;
      const addedReasoning = completion.reasoningLength - reasoningLength;
      if (addedText === 0 && addedReasoning === 0) return;
      textLength += addedText;
      reasoningLength += addedReasoning;
      // Every round doubles the interval, so that there are some twenty of them in an hour at most.
      while (gaps.length === MAX_ARRIVALS) coarsen();
      add(Math.round(platform.monotonicNow() - startedAt), addedText, addedReasoning);
    },
    toTimeline: () => ({ interval_ms: intervalMs, gaps_ms: gaps, text, ...(reasoningLength > 0 && { reasoning }) }),
  };
}
