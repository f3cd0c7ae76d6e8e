import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { createJsonFileStore } from '@model-gateway/node';
import { createPostgresStore } from '@model-gateway/postgres';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { toContent } from '../support/stores/generation-records.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { makeRecord } from './support/generation-stores.ts';
import { runStatement } from './support/postgres-server.ts';
import { makeFolder, runCommand, startCommand, writeConfig } from './support/run-command.ts';

const GENERATIONS = 4000;
const COST = 1_000_000_007;
const toConfig = (url: string): string => writeConfig({ store: { type: 'postgres', url } });

async function makeStore(): Promise<string> {
  const dir = makeFolder();
  const store = await createJsonFileStore({ dir });
  for (let call = 0; call < GENERATIONS; call += 1) {
    const record = makeRecord(Date.now() - call, { costNanoUsd: COST });
    await store.generations.append(record, toContent(`${record.generation.id} ${'x'.repeat(2000)}`));
  }
  await store.close();
  return dir;
}

/** Starts a command and kills it as soon as it has come so far, or lets it end. */
async function killWhen(words: readonly string[], signal: NodeJS.Signals, isDue: () => Promise<boolean> | boolean) {
  const command = startCommand(words);
  let hasEnded = false;
  void command.ended.then(() => (hasEnded = true));
  await eventually(async () => expect(hasEnded || (await isDue())).toBe(true), 1);
  command.send(signal);
  const { code, stderr } = await command.ended;
  expect(stderr).not.toMatch(/\n\s+at /);
  return code;
}

const everything = {
  creditsNanoUsd: GENERATIONS * COST,
  byokNanoUsd: 0,
};

test.skipIf(missingPostgres)(
  'an import that is killed again and again has moved everything once in the end',
  async () => {
    const dir = await makeStore();
    const url = await openDatabase();
    await (await createPostgresStore({ url })).close();
    const words = ['import', '--from', dir, '--config', toConfig(url)];
    // Asked all the time: one connection finds the moment sooner than one for each question.
    const client = new Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    const count = async (): Promise<number> => {
      const { rows } = await client.query<{ found: number }>('select count(*)::int as found from gateway.generations');
      return rows[0]?.found ?? 0;
    };
    let killed = 0;
    for (const signal of ['SIGKILL', 'SIGINT', 'SIGKILL'] as const) {
      const before = await count();
      const code = await killWhen(words, signal, async () => (await count()) > before);
      if (code !== 0) killed += 1;
    }
    expect(killed).toBeGreaterThan(0);
    const ended = await runCommand(words);
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining(`${GENERATIONS} generations`) as string });
    expect(await count()).toBe(GENERATIONS);
    expect(await runStatement(url, 'select count(*)::int as found from gateway.contents')).toEqual([
      { found: GENERATIONS },
    ]);
    const store = await createPostgresStore({ url });
    expect(await store.generations.spent({})).toEqual(everything);
    await store.close();
  },
);

// More than twenty commands, each of which reads or writes everything.
const EXPORTS_LIMIT_MS = 400_000;

test.skipIf(missingPostgres)(
  'an export that is killed at any time is brought to its end by the next',
  { timeout: EXPORTS_LIMIT_MS },
  async () => {
    const url = await openDatabase();
    const config = toConfig(url);
    await runCommand(['import', '--from', await makeStore(), '--config', config]);
    const logs = (dir: string): number => {
      const files = existsSync(join(dir, 'logs')) ? readdirSync(join(dir, 'logs')) : [];
      return files.reduce((bytes, name) => bytes + statSync(join(dir, 'logs', name)).size, 0);
    };
    const moments: readonly ((dir: string) => boolean)[] = [
      (dir) => existsSync(dir),
      (dir) => existsSync(join(dir, 'logs')),
      (dir) => existsSync(join(dir, 'config.json')),
      (dir) => existsSync(join(dir, 'imported.json')),
      (dir) => logs(dir) > 1_000_000,
      (dir) => readFileSync(join(dir, 'imported.json'), 'utf8').includes('creditsNanoUsd'),
      (dir) => existsSync(join(dir, 'carried-spending.ndjson')),
    ];
    for (const isDue of moments) {
      const dir = join(makeFolder(), 'out');
      const words = ['export', '--to', dir, '--config', config];
      const isDueThere = (): boolean => {
        try {
          return isDue(dir);
        } catch {
          return false;
        }
      };
      for (let round = 0; round < 2; round += 1) await killWhen(words, 'SIGKILL', isDueThere);
      const ended = await runCommand(words);
      expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining(`${GENERATIONS} generations`) as string });
      const store = await createJsonFileStore({ dir });
      expect(await store.generations.count()).toBe(GENERATIONS);
      expect(await store.generations.spent({})).toEqual(everything);
      await store.close();
    }
  },
);

test.skipIf(missingPostgres)(
  'a place that cannot be moved from or to is named, with what to do, and stays as it was',
  async () => {
    const config = toConfig(await openDatabase());
    const dir = makeFolder();
    const file = join(dir, 'file');
    writeFileSync(file, 'x');
    const foreign = join(dir, 'foreign');
    mkdirSync(foreign);
    writeFileSync(join(foreign, 'notes.txt'), 'x');
    for (const [words, text] of [
      [['import', '--from', file], `${file} is a file: pass its data directory`],
      [['export', '--to', file], `${file} is a file: choose a new directory`],
      [['export', '--to', foreign], `${foreign} is not empty`],
    ] as const) {
      const ended = await runCommand([...words, '--config', config]);
      expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(text) as string });
      expect(ended.stderr.trim().split('\n')).toHaveLength(1);
    }
    expect(readdirSync(foreign)).toEqual(['notes.txt']);
  },
);

test.skipIf(missingPostgres)('a damaged note of what was moved ends the import before it moves anything', async () => {
  const url = await openDatabase();
  const dir = makeFolder();
  const store = await createJsonFileStore({ dir });
  await store.generations.append(makeRecord(), null);
  await store.close();
  for (const text of ['{"id":', '[]']) {
    writeFileSync(join(dir, 'imported.json'), text);
    const ended = await runCommand(['import', '--from', dir, '--config', toConfig(url)]);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('imported.json is damaged') as string });
  }
  expect(await runStatement(url, 'select count(*)::int as found from gateway.generations')).toEqual([{ found: 0 }]);
});

test.skipIf(missingPostgres)('a damaged log is named, with where it is kept, and the rest of it is moved', async () => {
  const url = await openDatabase();
  const dir = makeFolder();
  const store = await createJsonFileStore({ dir });
  for (let call = 0; call < 3; call += 1) await store.generations.append(makeRecord(), null);
  await store.close();
  const log = readdirSync(join(dir, 'logs')).find((name) => name.startsWith('generations-')) ?? '';
  const path = join(dir, 'logs', log);
  writeFileSync(path, readFileSync(path, 'utf8').replace('"costNanoUsd":', '"costNanoUsd":9'));
  const ended = await runCommand(['import', '--from', dir, '--config', toConfig(url)]);
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('2 generations') as string });
  expect(ended.stderr).toContain(`file: ${path}, keptAs: ${path}.corrupt-`);
});
