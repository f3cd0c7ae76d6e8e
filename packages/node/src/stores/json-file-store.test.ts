import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { GenerationRecord, Store } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { createFaultyFileSystem } from '../../../../test/support/stores/faulty-file-system.ts';
import { toContent, toKey, toRecord } from '../../../../test/support/stores/generation-records.ts';
import { listIds, useJsonFilePlace } from '../../../../test/support/stores/json-file-place.ts';
import { LongText, withLongTexts } from '../../../core/src/generations/long-output.ts';
import { toLine } from './log/record-line.ts';

const place = useJsonFilePlace();

test('a directory is created for its owner alone, and so are its files', async () => {
  const store = await place.open();
  await store.generations.append(toRecord('gen-1'), toContent('one'));
  expect((await stat(place.dir)).mode & 0o777).toBe(0o700);
  expect((await stat(join(place.dir, 'logs'))).mode & 0o777).toBe(0o700);
  expect(await place.logs()).toEqual(['content-2026-03-01.ndjson', 'generations-2026-03-01.ndjson']);
  for (const name of ['config.json', 'config.copy.json', ...(await place.logs()).map((log) => join('logs', log))]) {
    expect((await stat(join(place.dir, name))).mode & 0o777, `${name}`).toBe(0o600);
  }
});

test('every line of a log is valid JSON, metadata apart from content', async () => {
  const store = await place.open();
  await store.generations.append(toRecord('gen-1'), toContent('a secret'));
  const metadata = await readFile(join(place.dir, 'logs', 'generations-2026-03-01.ndjson'), 'utf8');
  const lines = metadata
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { record: { type: string } });
  expect(lines.map(({ record }) => record.type)).toEqual(['segment', 'generation']);
  expect(metadata).not.toContain('a secret');
});

test('a long text that was put aside is written piece by piece, and read again as it was', async () => {
  const store = await place.open();
  const text = '"Wörld"\n漢字 🎈 \\ '.repeat(1000);
  let wholes = 0;
  const long = new LongText(() => Array<string>(100).fill(text), 'the end');
  const whole = long.whole.bind(long);
  long.whole = () => {
    wholes += 1;
    return whole();
  };
  const content = toContent('one');
  const output = withLongTexts(content.output, { completion: long });
  await store.generations.append(toRecord('gen-1'), { ...content, output });
  await store.generations.append(toRecord('gen-2'), content);
  expect(wholes).toBe(0);
  const expected = { ...content, output: { ...content.output, completion: `${text.repeat(100)}the end` } };
  expect(await store.generations.getContent('gen-2')).toEqual(content);
  expect(JSON.stringify(await store.generations.getContent('gen-1')) === JSON.stringify(expected)).toBe(true);
});

test('without a limit of age, everything is kept, however old', async () => {
  const options = { retentionDays: Number.POSITIVE_INFINITY };
  const row = { id: 'g 2020-01-01', guardrailId: 'g', day: '2020-01-01', hours: {}, refusals: [] };
  const store = await place.open(options);
  await store.guardrailHits.insert(row);
  await store.close();
  expect(await (await place.open(options)).guardrailHits.list()).toEqual([row]);
});

/** Something that was acknowledged, to be looked for later. */
type Fact = (again: Store) => Promise<void>;
const hasRecord =
  (record: GenerationRecord): Fact =>
  async (again) =>
    expect(await again.generations.get(record.generation.id)).toEqual(record);
const hasContent =
  (id: string, text: string): Fact =>
  async (again) =>
    expect(await again.generations.getContent(id)).toEqual(toContent(text));
const hasNoContent =
  (id: string): Fact =>
  async (again) =>
    expect(await again.generations.getContent(id)).toBeUndefined();
const hasKey =
  (hash: string): Fact =>
  async (again) =>
    expect(await again.keys.get(hash)).toEqual(toKey(hash));
/** Does a bit of everything, whatever fails; returns what was acknowledged. */
async function useStore({ keys, generations }: Store): Promise<Fact[]> {
  const facts: Fact[] = [];
  const attempt = async (work: Promise<unknown>, ...known: Fact[]): Promise<void> => {
    const [outcome] = await Promise.allSettled([work]);
    if (outcome.status === 'fulfilled' && outcome.value !== false) facts.push(...known);
  };
  await attempt(keys.insert(toKey('a')), hasKey('a'));
  await Promise.all([
    attempt(generations.append(toRecord('gen-1'), toContent('one')), hasContent('gen-1', 'one')),
    attempt(generations.append(toRecord('gen-2'), null), hasRecord(toRecord('gen-2'))),
  ]);
  await attempt(generations.append(toRecord('gen-3'), toContent('three')), hasRecord(toRecord('gen-3')));
  const later = toRecord('gen-1', { costNanoUsd: 9 });
  await attempt(generations.update(later), hasRecord(later), hasContent('gen-1', 'one'));
  await attempt(generations.deleteContent('gen-3'), hasNoContent('gen-3'));
  return facts;
}

/** Tells a story once for each call that such a use makes, each time in a directory of its own. */
async function forEachCall(story: (nth: number) => Promise<void>): Promise<void> {
  const counted = await place.open();
  await useStore(counted);
  await counted.close();
  const { calls } = place.files;
  for (let nth = 1; nth <= calls; nth += 1) {
    place.dir = join(place.root, `${nth}`);
    place.files = createFaultyFileSystem();
    await story(nth);
    const damaged = place.warnings.filter((message) => message.includes('damaged'));
    expect(damaged, `call ${nth}`).toEqual([]);
  }
}

test.each(['EIO', 'ENOSPC', 'EMFILE', 'EPERM'])(
  'whichever call fails with %s, all that was acknowledged is there afterwards, and the next write works',
  (code) =>
    forEachCall(async (nth) => {
      place.files.failNth(nth, { code, writtenBytes: 40 });
      const store = await place.open().catch(() => undefined);
      const facts = store === undefined ? [] : await useStore(store);
      place.files.heal();
      if (store !== undefined) {
        await store.generations.append(toRecord('gen-next'), toContent('next'));
        facts.push(hasContent('gen-next', 'next'));
        await store.close();
      }
      const again = await place.open();
      for (const fact of facts) await fact(again);
      await again.generations.append(toRecord('gen-after'), null);
      await again.close();
      expect((await readdir(place.dir)).filter((name) => name.includes('tmp') || name.includes('corrupt'))).toEqual([]);
    }),
);

test('a machine that stops at any call loses nothing that was acknowledged', () =>
  forEachCall(async (nth) => {
    place.files.failFrom(nth, { code: 'EIO', writtenBytes: 60 });
    const store = await place.open().catch(() => undefined);
    const facts = store === undefined ? [] : await useStore(store);
    await store?.close().catch(() => undefined);
    place.files.heal();
    place.warnings = [];
    const again = await place.open();
    for (const fact of facts) await fact(again);
    await again.close();
  }));

test('refuses a directory that another store has', async () => {
  await place.open();
  await expect(place.open()).rejects.toThrow(`is in use by this very process (PID ${process.pid})`);
});

test('lets go of a directory when opening fails, and says why in one line', async () => {
  await mkdir(join(place.dir, 'logs'), { recursive: true });
  await writeFile(join(place.dir, 'config.json'), '{"version":7}');
  await expect(place.open()).rejects.toThrow(/newer Model Gateway/);
  await writeFile(join(place.dir, 'config.json'), '{"version":1,"keys":[]}');
  await expect(place.open()).resolves.toBeDefined();
});

test('refuses a log that a newer version wrote', async () => {
  await (await place.open()).close();
  const path = join(place.dir, 'logs', 'generations-2026-03-02.ndjson');
  await writeFile(path, toLine('{"type":"segment","version":2}'));
  await expect(place.open()).rejects.toThrow(
    /generations-2026-03-02.ndjson was written by a newer Model Gateway \(format 2/,
  );
});

test('passes over lines of a type it does not know', async () => {
  await (await place.open()).close();
  const path = join(place.dir, 'logs', 'generations-2026-02-28.ndjson');
  await writeFile(path, toLine('{"type":"something-new","id":"x"}'));
  expect(await listIds(await place.open())).toEqual([]);
  expect(place.warnings).toEqual([]);
});

test('a path that is a file is refused in one line that says what to do', async () => {
  await writeFile(place.dir, 'not a directory');
  await expect(place.open()).rejects.toThrow(
    /^Cannot use the data directory .*data: it is not a directory; .*\[EEXIST\]$/,
  );
});

test('a symbolic link that leads nowhere, or in a circle, is refused', async () => {
  await symlink(place.dir, place.dir);
  await expect(place.open()).rejects.toThrow(/symbolic link.*\[E(LOOP|NOENT)\]$/);
  await rm(place.dir);
  await symlink(join(place.root, 'nowhere'), place.dir);
  await expect(place.open()).rejects.toThrow(/symbolic link.*\[ENOENT\]$/);
});

test.each(['config.json', 'logs/generations-2026-03-01.ndjson', 'logs/content-2026-03-01.ndjson'])(
  'a symbolic link planted as %s is not followed',
  async (name) => {
    const victim = join(place.root, 'victim');
    await writeFile(victim, 'untouched');
    await mkdir(join(place.dir, 'logs'), { recursive: true });
    await symlink(victim, join(place.dir, name));
    await expect(place.open()).rejects.toThrow(/symbolic links.*\[ELOOP\]$/);
    expect(await readFile(victim, 'utf8')).toBe('untouched');
  },
);

test('a link planted as the logs folder is not followed', async () => {
  await mkdir(join(place.root, 'elsewhere'));
  await mkdir(place.dir);
  await symlink(join(place.root, 'elsewhere'), join(place.dir, 'logs'));
  await expect(place.open()).rejects.toThrow(/logs is not a directory of its own/);
  expect(await readdir(join(place.root, 'elsewhere'))).toEqual([]);
});

test('a directory that contains other files keeps its permissions', async () => {
  await mkdir(place.dir);
  await writeFile(join(place.dir, 'notes.txt'), 'mine');
  await chmod(place.dir, 0o777);
  await place.open();
  expect((await stat(place.dir)).mode & 0o777).toBe(0o777);
  expect(place.warnings).toEqual(['Other users may write into the data directory; chmod 700 closes it']);
});

test('warns when keys are gone although generations are there', async () => {
  const store = await place.open();
  await store.generations.append(toRecord('gen-1'), null);
  await store.close();
  for (const name of ['config.json', 'config.copy.json']) await rm(join(place.dir, name));
  await place.open();
  expect(place.warnings).toEqual([
    'There was no config.json beside the logs of generations; the store begins without keys',
  ]);
});

test('sweeps what a killed process was writing', async () => {
  await (await place.open()).close();
  for (const name of ['config.json', 'logs/content-2026-03-01.ndjson']) {
    await writeFile(join(place.dir, `${name}.0123456789ab.gateway-tmp`), 'half');
  }
  await (await place.open()).close();
  expect([...(await readdir(place.dir)), ...(await place.logs())].filter((name) => name.includes('tmp'))).toEqual([]);
});

test('a process that does nothing more ends by itself, its records written', async () => {
  const source = fileURLToPath(new URL('json-file-store.ts', import.meta.url));
  const record = JSON.stringify(toRecord('gen-1'));
  const script = `
    import { createJsonFileStore } from ${JSON.stringify(source)};
    const store = await createJsonFileStore({ dir: process.argv[1] });
    await store.generations.append(${record}, null);`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, place.dir]);
  const store = await place.open();
  expect(await store.generations.get('gen-1')).toEqual(toRecord('gen-1'));
});
