import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { expect, test } from 'vitest';

import { toContent, toRecord } from '../../../../test/support/stores/generation-records.ts';
import { createMemoryStore } from './memory-store.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('keeps the newest generations, however many come, and all of their cost', async () => {
  const { generations } = createMemoryStore({ maxGenerations: 3 });
  for (let index = 1; index <= 100; index += 1) {
    await generations.append(toRecord(`gen-${index}`), toContent(`${index}`));
    const { records, next } = await generations.page({ limit: 10 });
    const newest = [index, index - 1, index - 2].filter((number) => number > 0).map((number) => `gen-${number}`);
    expect(records.map(({ generation }) => generation.id)).toEqual(newest);
    expect(next).toBeNull();
  }
  expect(await generations.get('gen-97')).toBeUndefined();
  expect(await generations.getContent('gen-97')).toBeUndefined();
  expect(await generations.getContent('gen-98')).toEqual(toContent('98'));
  expect(await generations.spentNanoUsd('key-1')).toBe(100_000);
});

test('ends a listing whose next page has been dropped meanwhile', async () => {
  const { generations } = createMemoryStore({ maxGenerations: 3 });
  for (const id of ['gen-1', 'gen-2', 'gen-3']) await generations.append(toRecord(id), null);
  const first = await generations.page({ limit: 2 });
  for (const id of ['gen-4', 'gen-5']) await generations.append(toRecord(id), null);
  expect(await generations.page({ limit: 2, before: first.next ?? undefined })).toEqual({ records: [], next: null });
});

test('pages right when old generations have been dropped', async () => {
  const { generations } = createMemoryStore({ maxGenerations: 4 });
  for (let index = 1; index <= 7; index += 1) await generations.append(toRecord(`gen-${index}`), null);
  const first = await generations.page({ limit: 3 });
  const second = await generations.page({ limit: 3, before: first.next ?? undefined });
  const ids = [...first.records, ...second.records].map(({ generation }) => generation.id);
  expect(ids).toEqual(['gen-7', 'gen-6', 'gen-5', 'gen-4']);
  expect(second.next).toBeNull();
});

/** A text that has grown by small pieces, as that of a stream has. */
function grow(pieces: number): string {
  let text = '';
  for (let index = 0; index < pieces; index += 1) text += `tok${index} `;
  return text;
}

test('a kept generation costs its texts and at most 4 KB, and those that were removed cost nothing', async () => {
  const pieces = 300;
  const { length } = grow(pieces);
  const heldBytes = (): number => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  const costs: number[] = [];
  // The least of several counts is right: V8 may collect what other tests have left meanwhile, or hold what they make.
  for (let round = 0; round < 4; round += 1) {
    const { generations } = createMemoryStore({ maxGenerations: 1000 });
    collectGarbage();
    const before = heldBytes();
    // Just before the places of those that were removed are given back.
    for (let index = 0; index < 1999; index += 1) {
      const content = toContent(`${index}`);
      const output = { ...content.output, completion: grow(pieces) };
      await generations.append(structuredClone(toRecord(`gen-${index}`)), { ...content, output });
    }
    collectGarbage();
    costs.push((heldBytes() - before) / 1000);
    expect((await generations.getContent('gen-1998'))?.output.completion).toBe(grow(pieces));
  }
  expect(Math.max(...costs)).toBeGreaterThan(length);
  expect(Math.min(...costs)).toBeLessThan(length + 4096);
});

test('a content that is changed by others stays as it was stored', async () => {
  const { generations } = createMemoryStore();
  const content = toContent('first');
  await generations.append(toRecord('gen-1'), content);
  Object.assign(content.output, { completion: 'changed' });
  Object.assign((await generations.getContent('gen-1')) ?? {}, { output: null });
  expect(await generations.getContent('gen-1')).toEqual(toContent('first'));
});

test('texts of every length and kind come back as they were, while others are removed, changed and deleted', async () => {
  const { generations } = createMemoryStore({ maxGenerations: 300 });
  const toText = (index: number): string => '\uFEFFWörld 漢字 🎈"'.repeat((index * 37) % 1500);
  for (let index = 0; index < 900; index += 1) {
    await generations.append(toRecord(`gen-${index}`), toContent(toText(index)));
    if (index % 3 === 0) await generations.deleteContent(`gen-${index}`);
    if (index % 5 === 0) {
      const record = toRecord(`gen-${index}`);
      await generations.update({ ...record, generation: { ...record.generation, model: toText(index) } });
    }
  }
  for (let index = 600; index < 900; index += 1) {
    const content = index % 3 === 0 ? undefined : toContent(toText(index));
    expect(await generations.getContent(`gen-${index}`)).toEqual(content);
    const { generation } = (await generations.get(`gen-${index}`)) ?? {};
    expect(generation?.model).toBe(index % 5 === 0 ? toText(index) : toRecord('gen-1').generation.model);
  }
});
