import { expect, test } from 'vitest';

import { createSemaphore } from './semaphore.ts';

interface Work {
  readonly result: Promise<string>;
  readonly end: (error?: Error) => void;
}

function begin(inTurn: ReturnType<typeof createSemaphore>, name: string, begun: string[]): Work {
  let end: Work['end'] = () => undefined;
  const ended = new Promise<string>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve(name) : reject(error));
  });
  const result = inTurn(() => {
    begun.push(name);
    return ended;
  });
  return { result, end };
}

test('so much is done at once, and the rest in order, whatever becomes of the first', async () => {
  const inTurn = createSemaphore(2, 10_000);
  const begun: string[] = [];
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => begin(inTurn, name, begun)) as [Work, Work, Work, Work];
  await Promise.resolve();
  expect(begun).toEqual(['a', 'b']);
  b.end(new Error('no'));
  await expect(b.result).rejects.toThrow('no');
  await expect.poll(() => begun).toEqual(['a', 'b', 'c']);
  for (const work of [a, c, d]) work.end();
  expect(await Promise.all([a.result, c.result, d.result])).toEqual(['a', 'c', 'd']);
  const last = begin(inTurn, 'e', begun);
  last.end();
  expect(await last.result).toBe('e');
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('what waits too long fails, and takes no turn away from others', async () => {
  const inTurn = createSemaphore(1, 1);
  const begun: string[] = [];
  const first = begin(inTurn, 'first', begun);
  await expect(begin(inTurn, 'late', begun).result).rejects.toThrow('timeout');
  first.end();
  await first.result;
  const next = begin(inTurn, 'next', begun);
  next.end();
  expect(await next.result).toBe('next');
  expect(begun).toEqual(['first', 'next']);
});
