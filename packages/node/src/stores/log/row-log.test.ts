import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import {
  createFaultyFileSystem,
  type FaultyFileSystem,
} from '../../../../../test/support/stores/faulty-file-system.ts';
import { openRowLog, type RowLog } from './row-log.ts';

let dir: string;
let files: FaultyFileSystem;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-rows-'));
  files = createFaultyFileSystem();
});
afterEach(() => rm(dir, { recursive: true }));

const open = (): Promise<RowLog<{ readonly id: string }>> =>
  openRowLog({ files, path: join(dir, 'rows.ndjson'), logger: undefined, now: () => 0, isRetained: () => true });
const closes = (): number => files.names.filter((name) => name === 'close').length;

test('a log that is closed twice closes its file once', async () => {
  const log = await open();
  const before = closes();
  await Promise.all([log.close(), log.close()]);
  await log.close();
  expect(closes()).toBe(before + 1);
});

test('a log whose end has failed does not try to close its file again', async () => {
  const log = await open();
  await log.write({ put: { id: 'one' } });
  const before = closes();
  files.failAll('close', { code: 'EIO' });
  await expect(log.close()).rejects.toThrow('EIO');
  files.heal();
  await expect(log.close()).rejects.toThrow('EIO');
  expect(closes()).toBe(before + 1);
});

test('a change after the end is refused and touches no file', async () => {
  const log = await open();
  await log.close();
  const { calls } = files;
  await expect(log.write({ put: { id: 'late' } })).rejects.toThrow('The store is closed');
  expect(files.calls).toBe(calls);
});

test('the end waits for the change that is being written', async () => {
  const log = await open();
  const written = log.write({ put: { id: 'one' } });
  await log.close();
  await written;
  expect(files.names.at(-1)).toBe('close');
  expect(await readFile(join(dir, 'rows.ndjson'), 'utf8')).toContain('"one"');
});
