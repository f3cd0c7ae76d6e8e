import type { RunningCallRow } from '@model-gateway/core/wire';

/** A shorter call would end before anybody has read its line, and the page would jump with each. */
const LEAST_MS = 1000;

/** The calls that are worth a line, and the number of all others. */
export function toShownCalls(
  calls: readonly RunningCallRow[],
  limit: number,
): { readonly shown: readonly RunningCallRow[]; readonly others: number } {
  const lasting = calls.filter(({ elapsed_ms: elapsedMs }) => elapsedMs >= LEAST_MS);
  return { shown: lasting.slice(0, limit), others: Math.max(0, lasting.length - limit) };
}

/** What a call does right now, as a person says it. */
export const RUNNING_STATES = {
  waiting: { label: 'waiting', meaning: 'No provider is asked right now' },
  asked: { label: 'asked', meaning: 'A provider was asked, and has not begun to answer' },
  responding: { label: 'answering', meaning: 'The answer has begun' },
} as const;
