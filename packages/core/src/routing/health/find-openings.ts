import { createCircuit, RECENT_MS } from './circuit.ts';
import { createCountRing } from './rings.ts';

/** What became of a call to an endpoint, as far as that counts for its circuit. */
export interface PastResult {
  /** When it failed, or its first output came. */
  readonly atMs: number;
  readonly isGood: boolean;
}

/**
 * When the circuit of an endpoint has opened, by the rule that live calls go by, worked out from the results of former
 * ones in any order.
 */
export function findOpenings(results: readonly PastResult[]): number[] {
  let nowMs = 0;
  const recent = createCountRing(1000, RECENT_MS / 1000);
  const circuit = createCircuit(() => nowMs, recent);
  const openings: number[] = [];
  for (const { atMs, isGood } of results.toSorted((one, other) => one.atMs - other.atMs)) {
    nowMs = atMs;
    recent.add(nowMs, isGood);
    if (isGood) {
      circuit.close();
      continue;
    }
    const wasOpen = circuit.state() === 'open';
    circuit.noteOutage();
    if (!wasOpen && circuit.state() === 'open') openings.push(atMs);
  }
  return openings;
}
