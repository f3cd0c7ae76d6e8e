import type { OptionalMember, StoreCase, StorePlace } from '@model-gateway/core/testing';
import { expect, test } from 'vitest';

export interface StoreSubject {
  createPlace(): Promise<StorePlace>;
  /** What the store does without. */
  readonly lacks?: readonly OptionalMember[];
}

/** Makes a test of each case. Those about what the store does without are skipped, and have to be about that. */
export function testStoreCases(cases: readonly StoreCase[], { createPlace, lacks = [] }: StoreSubject): void {
  const skipped = cases.filter(({ needs }) => needs !== undefined && lacks.includes(needs));
  for (const one of cases) {
    if (skipped.includes(one)) test.skip(`${one.title}: it has no ${one.needs}`, () => one.run(createPlace));
    else test(one.title, () => one.run(createPlace));
  }
  if (skipped.length === 0) return;
  test('nothing that is skipped could be run', async () => {
    for (const { run } of skipped) await expect(run(createPlace)).rejects.toThrow('which is optional');
  });
}
