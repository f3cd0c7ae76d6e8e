import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createTableRepositories, type KeyRecord, type Repository } from '@model-gateway/core';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { createFaultyFileSystem } from '../../../../../test/support/stores/faulty-file-system.ts';
import { toKey } from '../../../../../test/support/stores/generation-records.ts';
import { toWorkspace } from '../../../../../test/support/stores/table-rows.ts';
import { type FileSystem, nodeFileSystem } from '../files/file-system.ts';
import { createTableSource } from '../json-file-store.ts';
import { type ConfigFile, openConfigFile } from './config-file.ts';

let directory: string;
let warnings: string[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-config-'));
  warnings = [];
});
afterEach(() => rm(directory, { recursive: true }));

function open(files: FileSystem = nodeFileSystem): Promise<ConfigFile> {
  const logger = {
    info: () => undefined,
    error: () => undefined,
    warn: (message: string) => void warnings.push(message),
  };
  return openConfigFile({ files, directory, logger, now: () => Date.parse('2026-03-01T10:00:00Z') });
}

const keysOf = (config: ConfigFile): Repository<KeyRecord> => createTableRepositories(createTableSource(config)).keys;
const path = (name: string): string => join(directory, name);
const hashes = (config: ConfigFile): string[] => config.data.keys.map(({ hash }) => hash);

/** Leaves a `config.json` with the keys a and b, of which b is revoked, and the version before it with both valid. */
async function writeRevocation(): Promise<void> {
  const keys = keysOf(await open());
  await keys.insert(toKey('a'));
  await keys.insert(toKey('b'));
  await keys.update('b', (key) => ({ ...key, disabled: true, limitUsd: 1 }));
}

const validKeys = (config: ConfigFile): string[] =>
  config.data.keys.filter(({ disabled }) => !disabled).map(({ hash }) => hash);

test('begins with nothing and says what version it writes', async () => {
  const config = await open();
  expect(config.isNew).toBe(true);
  expect(JSON.parse(await readFile(path('config.json'), 'utf8'))).toMatchObject({
    version: 1,
    keys: [],
    guardrails: [],
  });
});

test.each(['', '{"version":1,"keys":[', '\0\0\0\0', '[]', '{"version":1,"keys":"none"}', '{"version":1,"keys":[{}]}'])(
  'a revoked key stays revoked, and limits stay, when config.json holds %j, and the damaged file is kept',
  async (damaged) => {
    await writeRevocation();
    await writeFile(path('config.json'), damaged);
    const config = await open();
    expect(validKeys(config)).toEqual(['a']);
    expect(config.data.keys.find(({ hash }) => hash === 'b')?.limitUsd).toBe(1);
    expect(warnings).toEqual(['config.json could not be read; its copy is used']);
    expect(await readFile(path('config.json.corrupt-2026-03-01T10-00-00-000Z'), 'utf8')).toBe(damaged);
    warnings = [];
    expect(validKeys(await open())).toEqual(['a']);
    expect(warnings).toEqual([]);
  },
);

test('a removed key stays removed when config.json is cut in the middle or missing', async () => {
  await writeRevocation();
  await keysOf(await open()).remove('b');
  const whole = await readFile(path('config.json'), 'utf8');
  await writeFile(path('config.json'), whole.slice(0, whole.length / 2));
  expect(hashes(await open())).toEqual(['a']);
  await rm(path('config.json'));
  expect(hashes(await open())).toEqual(['a']);
  expect(warnings).toHaveLength(2);
});

test('replaces a missing, damaged or older copy at the start, as config.json is the one that counts', async () => {
  await writeRevocation();
  const whole = await readFile(path('config.json'), 'utf8');
  for (const spoil of [
    () => rm(path('config.copy.json')),
    () => writeFile(path('config.copy.json'), '{'),
    async () => writeFile(path('config.copy.json'), await readFile(path('config.previous.json'))),
  ]) {
    await spoil();
    expect(validKeys(await open())).toEqual(['a']);
    expect(await readFile(path('config.copy.json'), 'utf8')).toBe(whole);
  }
  expect(warnings).toEqual([]);
});

test('refuses to start, and touches nothing, when the copy is damaged too: an older version has the revoked key', async () => {
  await writeRevocation();
  await writeFile(path('config.json'), '{');
  await writeFile(path('config.copy.json'), '}');
  const refusal =
    /config\.json cannot be read .*config\.copy\.json.*[Rr]estore one of them from a backup.*config\.previous\.json .*revoked is valid again/;
  await expect(open()).rejects.toThrow(refusal);
  const files = ['config.copy.json', 'config.json', 'config.previous.json'];
  expect((await readdir(directory)).toSorted()).toEqual(files);
  expect(await readFile(path('config.json'), 'utf8')).toBe('{');

  await rm(path('config.json'));
  await rm(path('config.copy.json'));
  await expect(open()).rejects.toThrow(refusal);
  await rm(path('config.previous.json'));
  expect((await open()).isNew).toBe(true);
});

test('reads a workspace from before there was a default callback address', async () => {
  const { workspace, ...rest } = toWorkspace('old');
  const { default_callback_url: _, ...older } = workspace;
  await writeFile(path('config.json'), JSON.stringify({ version: 1, workspaces: [{ ...rest, workspace: older }] }));
  expect((await open()).data.workspaces).toEqual([{ ...rest, workspace: older }]);
  expect(warnings).toEqual([]);
});

test('refuses a file that a newer version wrote', async () => {
  await writeFile(path('config.json'), '{"version":2,"keys":[]}');
  await expect(open()).rejects.toThrow(/written by a newer Model Gateway \(format 2; this one reads up to 1\)/);
});

test('a key whose writing failed at the very end does not come back later', async () => {
  const files = createFaultyFileSystem();
  const keys = keysOf(await open(files));
  // The fourth sync, after two for the copy, is that of the directory, when the new file has its name already.
  files.failNth(4, { code: 'EIO' }, 'sync');
  await expect(keys.insert(toKey('lost'))).rejects.toThrow('EIO');
  expect(await keys.remove('unknown')).toBe(false);
  expect(hashes(await open())).toEqual([]);
});

test('keeps members it does not know', async () => {
  await writeFile(path('config.json'), '\uFEFF{"version":1,"keys":[], "novelties":[{"id":"n1"}]}');
  await keysOf(await open()).insert(toKey('a'));
  expect(JSON.parse(await readFile(path('config.json'), 'utf8'))).toMatchObject({ novelties: [{ id: 'n1' }] });
});

test('whichever call fails while a key is written, the key is there or not, and the next one is written', async () => {
  await writeRevocation();
  const counting = createFaultyFileSystem();
  const counted = keysOf(await open(counting));
  const callsBefore = counting.calls;
  await counted.insert(toKey('c'));
  for (let nth = 1; nth <= counting.calls - callsBefore; nth += 1) {
    const files = createFaultyFileSystem();
    const config = await open(files);
    const keys = keysOf(config);
    files.failNth(nth, { code: 'ENOSPC', writtenBytes: 7 });
    await expect(keys.insert(toKey(`lost-${nth}`)), `call ${nth}`).rejects.toThrow('ENOSPC');
    expect(keys.get(`lost-${nth}`), `call ${nth}`).toBeUndefined();
    await keys.insert(toKey(`kept-${nth}`));
    const found = hashes(await open());
    expect(found.slice(0, 3), `call ${nth}`).toEqual(['a', 'b', 'c']);
    expect(found, `call ${nth}`).toContain(`kept-${nth}`);
    expect(found, `call ${nth}`).not.toContain(`lost-${nth}`);
  }
});

test('whichever call a revocation ends at, the next start has it or not, and once acknowledged even a damaged file does not undo it', async () => {
  const results = new Set<string>();
  for (let nth = 1; !results.has('acknowledged'); nth += 1) {
    await rm(directory, { recursive: true });
    await mkdir(directory);
    await writeRevocation();
    const files = createFaultyFileSystem();
    const keys = keysOf(await open(files));
    files.failFrom(nth, { code: 'EIO', writtenBytes: 7 });
    const result = await keys
      .update('a', (key) => ({ ...key, disabled: true }))
      .then(
        () => 'acknowledged',
        () => 'lost',
      );
    results.add(result);
    const valid = validKeys(await open());
    expect(valid, `call ${nth}`).toEqual(result === 'acknowledged' || valid.length === 0 ? [] : ['a']);
    await writeFile(path('config.json'), '');
    expect(validKeys(await open()), `call ${nth}, damaged`).toEqual(valid);
  }
  expect([...results]).toEqual(['lost', 'acknowledged']);
});
