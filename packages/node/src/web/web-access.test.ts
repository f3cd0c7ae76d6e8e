import { expect, test } from 'vitest';

import { createPdf } from '../../../../test/support/clients/create-pdf.ts';
import { createReadInWorker } from './web-access.ts';

const limits = { maxThreads: 1, timeoutMs: 30_000, maxMemoryMb: 128 };

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
