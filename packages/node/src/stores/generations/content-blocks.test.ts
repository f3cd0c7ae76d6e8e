import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Store } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { createFaultyFileSystem } from '../../../../../test/support/stores/faulty-file-system.ts';
import { toContent, toRecord, toTurns } from '../../../../../test/support/stores/generation-records.ts';
import { useJsonFilePlace } from '../../../../../test/support/stores/json-file-place.ts';

const place = useJsonFilePlace();
const TURNS = toTurns(40);
const id = (turn: number): string => `gen-${turn}`;

async function appendTurns(store: Store, workspace: string | null = null, prefix = ''): Promise<void> {
  for (const [turn, content] of TURNS.entries()) {
    await store.generations.append(toRecord(prefix + id(turn), { generation: { workspace_id: workspace } }), content);
  }
}

async function expectTurns(store: Store, isDeleted: (turn: number) => boolean = () => false): Promise<void> {
  for (const [turn, content] of TURNS.entries()) {
    const read = await store.generations.getContent(id(turn));
    expect(JSON.stringify(read), `turn ${turn}`).toBe(isDeleted(turn) ? undefined : JSON.stringify(content));
  }
}

/** Changes the files of contents as something else than the store would. */
async function changeContentFiles(change: (text: string) => string): Promise<void> {
  for (const name of (await place.logs()).filter((each) => each.includes('content'))) {
    const path = join(place.dir, 'logs', name);
    await writeFile(path, change(await readFile(path, 'utf8')));
  }
}

const occurrences = (text: string, part: string): number => text.split(part).length - 1;

test('a conversation is written once, however often it is sent', async () => {
  const store = await place.open();
  await appendTurns(store);
  const logs = await place.readAllLogs();
  expect(occurrences(logs, '(7 asked)')).toBe(1);
  expect(occurrences(logs, '(7 said)')).toBe(1);
  const whole = TURNS.reduce((sum, content) => sum + JSON.stringify(content).length, 0);
  expect(logs.length / whole).toBeLessThan(0.08);
  await expectTurns(store);
  await store.close();
  await expectTurns(await place.open());
});

test('after a start the rest of a conversation is written once more, and both are read', async () => {
  const store = await place.open();
  for (const turn of [0, 1]) await store.generations.append(toRecord(id(turn)), TURNS[turn] ?? null);
  await store.close();
  const again = await place.open();
  for (const turn of [2, 3]) await again.generations.append(toRecord(id(turn)), TURNS[turn] ?? null);
  for (const turn of [0, 1, 2, 3]) expect(await again.generations.getContent(id(turn))).toEqual(TURNS[turn]);
  expect(occurrences(await place.readAllLogs(), '(0 asked)')).toBe(2);
});

test('workspaces share no blocks, so that none learns by storing what another has', async () => {
  const store = await place.open();
  await appendTurns(store, 'one');
  await appendTurns(store, 'two', 'other-');
  expect(occurrences(await place.readAllLogs(), '(7 asked)')).toBe(2);
});

test('the deletion of some calls leaves the others whole, and takes what only those had', async () => {
  const store = await place.open();
  await appendTurns(store);
  const isDeleted = (turn: number): boolean => turn === 5 || turn >= 20;
  for (const turn of TURNS.keys()) if (isDeleted(turn)) await store.generations.deleteContent(id(turn));
  await expectTurns(store, isDeleted);
  await store.close();
  for (const _round of [1, 2]) {
    const again = await place.open();
    const logs = await place.readAllLogs();
    expect(occurrences(logs, '(19 asked)')).toBe(1);
    expect(logs).not.toContain('(20 asked)');
    await expectTurns(again, isDeleted);
    await again.close();
  }
  expect(place.warnings).toEqual([]);
});

test('when all calls of a conversation are deleted no block of it is left after the next start', async () => {
  const store = await place.open();
  await appendTurns(store);
  for (const turn of TURNS.keys()) await store.generations.deleteContent(id(turn));
  await store.close();
  await (await place.open()).close();
  const logs = await place.readAllLogs();
  expect(logs).not.toContain('Turn');
  expect(logs).not.toContain('"block"');
});

test('blocks of a write that failed are not referred to', async () => {
  const store = await place.open();
  await store.generations.append(toRecord(id(0)), TURNS[0] ?? null);
  place.files.failAll('write', { code: 'ENOSPC' });
  await expect(store.generations.append(toRecord(id(1)), TURNS[1] ?? null)).rejects.toThrow('ENOSPC');
  place.files.heal();
  await store.generations.append(toRecord(id(2)), TURNS[2] ?? null);
  expect(await store.generations.getContent(id(2))).toEqual(TURNS[2]);
  await store.close();
  expect(await (await place.open()).generations.getContent(id(2))).toEqual(TURNS[2]);
});

test('a file whose lines were moved by converted line ends is searched for its blocks', async () => {
  const store = await place.open();
  await appendTurns(store);
  await store.close();
  await changeContentFiles((text) => text.replaceAll('\n', '\r\n'));
  await expectTurns(await place.open());
});

test('a content of which a block is lost is not shown, and said to be lost', async () => {
  const store = await place.open();
  await appendTurns(store);
  await store.close();
  await changeContentFiles((text) => text.replace('Turn 30: what', 'Turn 30: that'));
  const again = await place.open();
  expect(await again.generations.getContent(id(29))).toEqual(TURNS[29]);
  expect(await again.generations.getContent(id(30))).toBeUndefined();
  expect(place.warnings.join()).toContain('a part of it is missing');
});

test('a short content that looks like a packed one is read as it was', async () => {
  const content = {
    ...toContent('"packed":true,'),
    input: { messages: [{ role: 'user', content: { $block: 'x.0.9' } }] },
  };
  const store = await place.open();
  await store.generations.append(toRecord('gen-1'), content);
  expect(await store.generations.getContent('gen-1')).toEqual(content);
});

test('a machine that stops at any call while compacting keeps every conversation that was kept', async () => {
  const prepare = async (name: string): Promise<void> => {
    [place.dir, place.files] = [join(place.root, name), createFaultyFileSystem()];
    const store = await place.open();
    for (const turn of [0, 1, 2, 3]) await store.generations.append(toRecord(id(turn)), TURNS[turn] ?? null);
    await store.generations.deleteContent(id(3));
    await store.close();
  };
  await prepare('counted');
  place.files = createFaultyFileSystem();
  await (await place.open()).close();
  const calls = place.files.calls;
  for (let nth = 1; nth <= calls; nth += 1) {
    await prepare(`${nth}`);
    place.files.failFrom(nth, { code: 'EIO', writtenBytes: 300 });
    const store = await place.open().catch(() => undefined);
    await store?.close().catch(() => undefined);
    place.files.heal();
    const again = await place.open();
    for (const turn of [0, 1, 2]) {
      expect(await again.generations.getContent(id(turn)), `call ${nth}`).toEqual(TURNS[turn]);
    }
    expect(await again.generations.getContent(id(3)), `call ${nth}`).toBeUndefined();
    await again.close();
  }
});
