import type { OptionalMember, StoreCase, StorePlace } from '@model-gateway/core/testing';
import { expect, test } from 'vitest';

export interface StoreSubject {
  createPlace(): Promise<StorePlace>;
  /** What the store does without. */
  readonly lacks?: readonly OptionalMember[];
}

/** Makes a test of each case. Those about what the store does without are skipped, and have to be about that. */
export function testStoreCases(cases: readonly StoreCase[], { createPlace, lacks = [] }: StoreSubject): void {
  const isLacking = ({ needs }: StoreCase): boolean => needs !== undefined && lacks.includes(needs);
  const rows = cases.map((one) => [isLacking(one) ? `${one.title}: it has no ${one.needs}` : one.title, one] as const);
  test.for(rows)('%s', ([, one], { skip }) => {
    skip(isLacking(one));
    return one.run(createPlace);
  });
  test.runIf(cases.some(isLacking))('No case is skipped that could be run', async () => {
    for (const { run } of cases.filter(isLacking)) await expect(run(createPlace)).rejects.toThrow('which is optional');
  });
}
