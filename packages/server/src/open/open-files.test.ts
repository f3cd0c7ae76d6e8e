import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { type GatewayConfig, loadConfig } from '@model-gateway/node';
import { expect, onTestFinished, test } from 'vitest';

import { openFiles } from './open-files.ts';
import { openSecrets } from './open-secrets.ts';

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function openIn(sealed: boolean) {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-files-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const config = loadConfig({ env: {} });
  const chosen: GatewayConfig = { ...config, store: { type: 'json', dir }, files: { ...config.files, sealed } };
  const opened = await openFiles(chosen, createMemoryStore(), openSecrets(chosen, {}));
  if (opened === undefined) throw new Error('No files are stored');
  return { dir: join(dir, 'files'), storage: opened.storage };
}

test.each([true, false])('contents are on the disk as files.sealed says (%s)', async (sealed) => {
  const { dir, storage } = await openIn(sealed);
  await storage.save(piecesOf('CANARY'));
  const [name = ''] = await readdir(dir);
  expect((await readFile(join(dir, name))).includes('CANARY')).toBe(!sealed);
});

test('files are deleted after files.retentionDays, and without them never', async () => {
  const config = loadConfig({ env: {} });
  const secondsOf = async (retentionDays: number | null): Promise<number | null | undefined> => {
    const chosen: GatewayConfig = { ...config, store: { type: 'memory' }, files: { ...config.files, retentionDays } };
    return (await openFiles(chosen, createMemoryStore(), openSecrets(chosen, {})))?.retentionSeconds;
  };
  expect([await secondsOf(config.files.retentionDays), await secondsOf(2)]).toEqual([null, 172_800]);
});

test('sealed files in a database need a key that every process has', async () => {
  const config = loadConfig({ env: {} });
  const store = {
    type: 'postgres',
    url: 'postgres://db/x',
    whenDown: 'refuse',
    maxConnections: 10,
    notifications: 'listen',
    dir: '/data',
  } as const;
  const chosen: GatewayConfig = { ...config, store, files: { ...config.files, sealed: true } };
  const { fileStorage } = { fileStorage: (await openIn(false)).storage };
  const withFiles = Object.assign(createMemoryStore(), { fileStorage });
  await expect(openFiles(chosen, withFiles, openSecrets(chosen, {}))).rejects.toThrow('GATEWAY_SECRETS_KEY');
  const env = { GATEWAY_SECRETS_KEY: 'a'.repeat(64) };
  expect(await openFiles(chosen, withFiles, openSecrets(chosen, env))).toBeDefined();
});
