import { expect, test } from 'vitest';

import { createInFlight } from './in-flight.ts';

function setUp(room: { count: number; size: number }) {
  const ends: (() => void)[] = [];
  const inFlight = createInFlight(room);
  let begun = 0;
  const run = (): Promise<void> => {
    begun += 1;
    return new Promise((resolve) => void ends.push(resolve));
  };
  return { inFlight, run, ends, begun: () => begun };
}

test('no more are done at once than there is room for, by number and by size', async () => {
  for (const [room, size] of [
    [{ count: 2, size: 100 }, 1],
    [{ count: 100, size: 2 }, 1],
    [{ count: 100, size: 15 }, 7],
  ] as const) {
    const { inFlight, run, ends, begun } = setUp(room);
    await inFlight.add(size, run);
    await inFlight.add(size, run);
    const third = inFlight.add(size, run);
    expect(begun()).toBe(2);
    ends[0]?.();
    await third;
    expect(begun()).toBe(3);
  }
});

test('what is larger than the room is done alone', async () => {
  const { inFlight, run, ends, begun } = setUp({ count: 10, size: 10 });
  await inFlight.add(1, run);
  const large = inFlight.add(1000, run);
  expect(begun()).toBe(1);
  ends[0]?.();
  await large;
  expect(begun()).toBe(2);
});

test('after one has failed none is begun, and the end says why', async () => {
  const { inFlight, run, begun } = setUp({ count: 1, size: 10 });
  await inFlight.add(1, () => Promise.reject(new Error('the disk is full')));
  await expect(inFlight.add(1, run)).rejects.toThrow('the disk is full');
  await expect(inFlight.end()).rejects.toThrow('the disk is full');
  expect(begun()).toBe(0);
});
