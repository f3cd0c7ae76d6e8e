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
  const skipped = cases.filter(isLacking).map(({ title, needs, run }) => [title, needs, run] as const);
  const given = cases.filter((one) => !isLacking(one)).map(({ title, run }) => [title, run] as const);
  test.for(given)('%s', ([, run]) => run(createPlace));
  test.skip.for(skipped)('%s: it has no %s', ([, , run]) => run(createPlace));
  test.skipIf(skipped.length === 0)('No case was skipped that could be run', async () => {
    for (const [, , run] of skipped) await expect(run(createPlace)).rejects.toThrow('which is optional');
  });
}
