import type { Generation, StreamTimeline } from '@model-gateway/core/wire';

import type { GenerationContent } from '../../../api/types.ts';
import { replayMessages } from './messages.ts';

/** One line of a streamed completion: a piece of it, or its end. Lengths are those of JavaScript strings. */
export interface Arrival {
  readonly index: number;
  /** Milliseconds since the call began. */
  readonly atMs: number;
  /** Milliseconds since the line before; for the first, since the call began. */
  readonly gapMs: number;
  readonly text: string;
  readonly reasoning: string;
  /** How long both are with this piece. */
  readonly textLength: number;
  readonly reasoningLength: number;
  /** How the completion ended, on the last line; null for a piece. */
  readonly ending: string | null;
  /** Nothing else was waited for so long, except for the first piece. */
  readonly isLongestGap: boolean;
}

interface StreamedCompletion {
  readonly timeline: StreamTimeline;
  readonly output: Pick<GenerationContent['output'], 'completion' | 'reasoning'>;
  readonly generation: Pick<Generation, 'generation_time' | 'cancelled' | 'finish_reason'>;
}

/** Splits a streamed completion into its pieces, its end last; empty when no text came. */
export function toArrivals({ timeline, output, generation }: StreamedCompletion): Arrival[] {
  const completion = output.completion ?? '';
  const thought = output.reasoning ?? '';
  const lines: Omit<Arrival, 'isLongestGap'>[] = [];
  let atMs = 0;
  let textLength = 0;
  let reasoningLength = 0;
  for (const [index, gapMs] of timeline.gaps_ms.entries()) {
    atMs += gapMs;
    const text = completion.slice(textLength, textLength + (timeline.text[index] ?? 0));
    const reasoning = thought.slice(reasoningLength, reasoningLength + (timeline.reasoning?.[index] ?? 0));
    textLength += text.length;
    reasoningLength += reasoning.length;
    lines.push({ index, atMs, gapMs, text, reasoning, textLength, reasoningLength, ending: null });
  }
  if (lines.length === 0) return [];
  const endMs = Math.max(atMs, generation.generation_time ?? 0);
  const end = { index: lines.length, atMs: endMs, gapMs: endMs - atMs, text: '', reasoning: '' };
  lines.push({ ...end, textLength, reasoningLength, ending: toEnding(generation) });
  const longest = Math.max(...lines.slice(1).map(({ gapMs }) => gapMs));
  const longestAt = lines.findIndex(({ gapMs, index }) => index > 0 && gapMs === longest);
  return lines.map((line) => ({ ...line, isLongestGap: longest > 0 && line.index === longestAt }));
}

function toEnding({ cancelled, finish_reason: reason }: StreamedCompletion['generation']): string {
  const t = replayMessages();
  if (cancelled === true) return t.disconnected;
  return reason === 'error' ? t.brokeOff : t.end;
}

/** The last line that had come by then; -1 before the first. */
export function arrivalAt(arrivals: readonly Arrival[], atMs: number): number {
  return arrivals.findLastIndex((arrival) => arrival.atMs <= atMs);
}
