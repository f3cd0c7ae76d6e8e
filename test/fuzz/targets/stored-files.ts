import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createJsonFileStore, type JsonFileStore } from '@model-gateway/node';
import fc from 'fast-check';
import { expect, onTestFinished } from 'vitest';

import { damage, damaged } from '../../support/formats/damaged-bytes.ts';
import { toContent, toKey, toRecord, toTurns } from '../../support/stores/generation-records.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const PLAIN = 12;

async function fill(dir: string): Promise<Map<string, { record: unknown; content: unknown }>> {
  const store = await createJsonFileStore({ dir, now: () => NOW_MS });
  for (const hash of ['a', 'b', 'c']) await store.keys.insert(toKey(hash));
  for (let at = 0; at < PLAIN; at += 1)
    await store.generations.append(toRecord(`gen-${at}`), toContent(`text ${at} é😀`));
  for (const [at, content] of toTurns(6).entries()) await store.generations.append(toRecord(`turn-${at}`), content);
  await store.generations.deleteContent('gen-3');
  const kept = new Map<string, { record: unknown; content: unknown }>();
  for (const id of await idsOf(store)) kept.set(id, await read(store, id));
  await store.close();
  return kept;
}

async function idsOf(store: JsonFileStore): Promise<string[]> {
  const { records } = await store.generations.page({ limit: 1000 });
  return records.map(({ generation }) => generation.id);
}

const read = async (store: JsonFileStore, id: string): Promise<{ record: unknown; content: unknown }> => ({
  record: await store.generations.get(id),
  content: await store.generations.getContent(id),
});

export const storedFiles: FuzzTarget = {
  name: 'stored-files',
  promise: 'A damaged data directory opens or is refused in words, and never shows what was not written',
  runs: 100,
  async prepare() {
    const root = await mkdtemp(join(tmpdir(), 'gateway-fuzz-'));
    onTestFinished(() => rm(root, { recursive: true, force: true }));
    const original = join(root, 'original');
    const kept = await fill(original);
    const files = (await readdir(original, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && /json/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name).slice(original.length + 1));
    const harm = fc.record({ file: fc.constantFrom(...files), done: fc.array(damage, { minLength: 1, maxLength: 2 }) });
    let opened = 0;
    return fc.asyncProperty(fc.array(harm, { minLength: 1, maxLength: 3 }), async (harms) => {
      opened += 1;
      const dir = join(root, `copy-${opened}`);
      await cp(original, dir, { recursive: true });
      for (const { file, done } of harms) {
        const path = join(dir, file);
        await writeFile(path, damaged(await readFile(path), done));
      }
      for (let start = 0; start < 2; start += 1) {
        const said: string[] = [];
        const note = (message: string): void => void said.push(message);
        let store: JsonFileStore;
        try {
          store = await createJsonFileStore({
            dir,
            now: () => NOW_MS,
            logger: { info: note, warn: note, error: note },
          });
        } catch (error) {
          expect(String(error)).toContain(dir);
          break;
        }
        for (const id of await idsOf(store)) {
          const { record, content } = await read(store, id);
          expect(record).toEqual(kept.get(id)?.record);
          if (content !== undefined && content !== null) expect(content).toEqual(kept.get(id)?.content);
        }
        await store.generations.append(toRecord(`new-${start}`), toContent('new'));
        kept.set(`new-${start}`, await read(store, `new-${start}`));
        await store.close();
      }
      await rm(dir, { recursive: true, force: true });
    });
  },
};
