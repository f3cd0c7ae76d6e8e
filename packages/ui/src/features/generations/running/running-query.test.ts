import type { RunningCallRow } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import { toShownCalls } from './running-query.ts';

const lasting = (...seconds: readonly number[]): RunningCallRow[] =>
  seconds.map((elapsed, index) => ({ id: `gen-${index}`, elapsed_ms: elapsed * 1000 }) as RunningCallRow);

test('shows calls that last, at most so many, and counts the others', () => {
  const { shown, others } = toShownCalls(lasting(9, 5, 3, 2), 3);
  expect(shown.map(({ elapsed_ms: elapsed }) => elapsed)).toEqual([9000, 5000, 3000]);
  expect(others).toBe(1);
});

test('leaves out what would be gone before it was read', () => {
  expect(toShownCalls(lasting(2, 0.9, 0), 3)).toEqual({ shown: lasting(2), others: 0 });
});
