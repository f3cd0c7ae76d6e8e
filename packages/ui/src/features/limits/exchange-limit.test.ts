import { expect, test } from 'vitest';

import { changeStored, exchangeLimit, type LimitChange, toReversal } from './exchange-limit.ts';

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

/** A list that is stored elsewhere: each request takes a turn. */
function createList(stored: readonly Limit[]) {
  let limits = stored;
  return {
    get limits() {
      return limits;
    },
    isSame: (one: Limit, other: Limit) => one.key === other.key,
    load: () => Promise.resolve(limits),
    put: async (next: readonly Limit[]) => {
      await Promise.resolve();
      limits = next;
    },
  };
}

test('of two deletions at once, none brings back what the other took away', async () => {
  const list = createList([a, b, c]);
  const changes = [a, b].map((before, at) => changeStored(list, { before, after: undefined, at }));
  await Promise.all(changes);
  expect(list.limits).toEqual([c]);
});

test('takes a deletion back where the limit stood in the stored list, not in the one that is shown', async () => {
  const list = createList([c, a, b]);
  const done = await changeStored(list, { before: a, after: undefined, at: 0 });
  await changeStored(list, toReversal(done));
  expect(list.limits).toEqual([c, a, b]);
});

test('goes on after a change that could not be made', async () => {
  const list = createList([a]);
  const failed = changeStored(
    { ...list, put: () => Promise.reject(new Error('full')) },
    { before: a, after: b, at: 0 },
  );
  const done = changeStored(list, { before: undefined, after: c, at: 5 });
  await expect(failed).rejects.toThrow('full');
  expect(await done).toMatchObject({ at: 1 });
  expect(list.limits).toEqual([a, c]);
});
