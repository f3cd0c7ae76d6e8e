import { expect, test } from 'vitest';

import { exchangeLimit, type LimitChange, toReversal } from './exchange-limit.ts';

interface Limit {
  readonly key: string;
  readonly requests: number;
}

const limit = (key: string, requests = 1): Limit => ({ key, requests });
const exchange = (stored: readonly Limit[], change: LimitChange<Limit>): readonly Limit[] =>
  exchangeLimit(stored, change, (one, other) => one.key === other.key);
const [a, b, c] = [limit('a'), limit('b'), limit('c')];

test.each<[string, LimitChange<Limit>, readonly Limit[]]>([
  ['adds a limit', { before: undefined, after: c, at: 2 }, [a, b, c]],
  ['deletes a limit', { before: a, after: undefined, at: 0 }, [b]],
  ['changes a limit where it stands', { before: a, after: limit('a', 5), at: 0 }, [limit('a', 5), b]],
  ['gives a limit another key', { before: a, after: c, at: 0 }, [c, b]],
])('%s, and takes it back', (_name, change, after) => {
  expect(exchange([a, b], change)).toEqual(after);
  expect(exchange(after, toReversal(change))).toEqual([a, b]);
});

test('leaves what was added since where it is', () => {
  const deletion = { before: a, after: undefined, at: 0 };
  expect(exchange([b, c], toReversal(deletion))).toEqual([a, b, c]);
  expect(exchange([a, b, c], deletion)).toEqual([b, c]);
});

test('changes nothing where what is to go is gone', () => {
  expect(exchange([b], { before: a, after: undefined, at: 0 })).toEqual([b]);
});
