import { expect, test } from 'vitest';

import { settle } from '../../../../test/support/async/virtual-platform.ts';
import { createPdf } from '../../../../test/support/clients/create-pdf.ts';
import { createReadInWorker } from './web-access.ts';

const limits = { maxThreads: 1, maxWaiting: 10, timeoutMs: 30_000, maxMemoryMb: 128 };

test('reads pages and PDFs, one after the other where there is but one thread', async () => {
  const read = createReadInWorker(limits);
  const bytes = createPdf(['Page one']);
  const results = await Promise.all([
    read({ kind: 'html', html: '<title>T</title><p>Hej</p>' }),
    read({ kind: 'pdf', bytes }),
    read({ kind: 'html', html: 'again' }),
  ]);
  expect(results).toEqual([{ title: 'T', text: 'Hej' }, ['Page one'], { title: '', text: 'again' }]);
});

test('gives up what is made to keep it busy, and reads on', async () => {
  const read = createReadInWorker({ ...limits, timeoutMs: 1000 });
  await expect(read({ kind: 'html', html: '<div>'.repeat(150_000) })).rejects.toThrow('took too long');
  const readInWorker = createReadInWorker(limits);
  expect(await readInWorker({ kind: 'html', html: 'fine' })).toEqual({ title: '', text: 'fine' });
});

test('rejects what cannot be read, and lets the next one in', async () => {
  const read = createReadInWorker(limits);
  const broken = read({ kind: 'pdf', bytes: new TextEncoder().encode('nonsense') });
  await expect(broken).rejects.toThrow(/^Invalid PDF/);
  expect(await read({ kind: 'html', html: 'fine' })).toEqual({ title: '', text: 'fine' });
});

/** Threads that end when a test lets them. */
function createThreads(maxWaiting: number) {
  const exits: (() => void)[] = [];
  const read = createReadInWorker({ ...limits, maxWaiting }, (_task, _limits, signal) => ({
    result: new Promise((_, reject) =>
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    ),
    exited: new Promise<void>((resolve) => void exits.push(resolve)),
  }));
  return { exits, begin: (signal?: AbortSignal) => read({ kind: 'html', html: '' }, signal) };
}

test('a thread that was given up within native code keeps its place until it is over', async () => {
  const { exits, begin } = createThreads(10);
  const leaving = new AbortController();
  const first = begin(leaving.signal);
  void begin();
  await settle();
  leaving.abort(new Error('left'));
  await expect(first).rejects.toThrow('left');
  await settle();
  expect(exits).toHaveLength(1);
  exits[0]?.();
  await settle();
  expect(exits).toHaveLength(2);
});

test('who leaves while waiting waits no longer, and takes no place', async () => {
  const { exits, begin } = createThreads(10);
  void begin();
  const leaving = new AbortController();
  const waits = begin(leaving.signal);
  void begin();
  leaving.abort(new Error('left'));
  await expect(waits).rejects.toThrow('left');
  exits[0]?.();
  await settle();
  expect(exits).toHaveLength(2);
});

test('readings are refused where too many wait', async () => {
  const { begin } = createThreads(1);
  void begin();
  void begin();
  await expect(begin()).rejects.toMatchObject({ code: 'provider_overloaded', retryAfterSeconds: 10 });
});
