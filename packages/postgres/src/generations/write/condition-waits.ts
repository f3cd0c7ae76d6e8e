/** Waits for conditions that only change in steps. */
export interface ConditionWaits {
  /** True as soon as the condition holds after a step, false after the time. */
  until(limitMs: number, isMet: () => boolean): Promise<boolean>;
  /** Looks at all conditions, as a step has ended. */
  endStep(): void;
}

export function createConditionWaits(): ConditionWaits {
  const looks = new Set<() => void>();
  return {
    until(limitMs, isMet) {
      if (isMet()) return Promise.resolve(true);
      return new Promise((resolve) => {
        const end = (result: boolean): void => {
          clearTimeout(timer);
          looks.delete(look);
          resolve(result);
        };
        const look = (): void => {
          if (isMet()) end(true);
        };
        const timer = setTimeout(() => end(false), limitMs);
        looks.add(look);
      });
    },
    endStep() {
      for (const look of looks) look();
    },
  };
}
