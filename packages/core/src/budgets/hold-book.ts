import type { Budget } from './budget.ts';
import type { Hold } from './hold.ts';

/** What this process holds, by call and by spender. */
export interface HoldBook {
  add(hold: Hold): void;
  /** Removes this one hold of a call that may have several. */
  takeBack(hold: Hold): void;
  /** Removes all holds of a call and returns them; none for an unknown call. */
  release(id: string): readonly Hold[];
  /** All holds of a call; undefined for an unknown one. */
  of(id: string): readonly Hold[] | undefined;
  heldAgainst(budget: Pick<Budget, 'spender' | 'includesByok'>): number;
  totalNanoUsd(): number;
}

interface Sum {
  creditsNanoUsd: number;
  anyNanoUsd: number;
  holds: number;
}

const NONE: readonly Hold[] = [];

export function createHoldBook(): HoldBook {
  const holds = new Map<string, readonly Hold[]>();
  const sums = new Map<string, Sum>();

  const book = ({ spenders, creditsNanoUsd, anyNanoUsd }: Hold, sign: 1 | -1): void => {
    for (const spender of spenders) {
      const sum = sums.get(spender) ?? { creditsNanoUsd: 0, anyNanoUsd: 0, holds: 0 };
      sum.creditsNanoUsd += sign * (creditsNanoUsd ?? 0);
      sum.anyNanoUsd += sign * anyNanoUsd;
      sum.holds += sign;
      if (sum.holds === 0) sums.delete(spender);
      else sums.set(spender, sum);
    }
  };
  return {
    add(hold) {
      const others = holds.get(hold.id);
      holds.set(hold.id, others === undefined ? [hold] : [...others, hold]);
      book(hold, 1);
    },
    takeBack(hold) {
      const others = (holds.get(hold.id) ?? NONE).filter((other) => other !== hold);
      if (others.length === 0) holds.delete(hold.id);
      else holds.set(hold.id, others);
      book(hold, -1);
    },
    release(id) {
      const released = holds.get(id);
      if (released === undefined) return NONE;
      holds.delete(id);
      for (const hold of released) book(hold, -1);
      return released;
    },
    of: (id) => holds.get(id),
    heldAgainst({ spender, includesByok }) {
      const sum = sums.get(spender);
      return (includesByok ? sum?.anyNanoUsd : sum?.creditsNanoUsd) ?? 0;
    },
    totalNanoUsd: () => [...holds.values()].flat().reduce((sum, { anyNanoUsd }) => sum + anyNanoUsd, 0),
  };
}
