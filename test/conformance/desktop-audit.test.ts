import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { AuditRecord } from '@model-gateway/core';
import { readAuditLog } from '@model-gateway/node';
import { expect, onTestFinished, test } from 'vitest';

import { runGateway } from '../../desktop/src/gateway/run-gateway.ts';

async function actionsIn(dataDir: string): Promise<string[]> {
  const actions: string[] = [];
  for await (const { text } of readAuditLog(dataDir)) {
    const { action, after } = JSON.parse(text) as AuditRecord;
    actions.push(`${action} ${Object.keys(after ?? {}).join()}`);
  }
  return actions;
}

test('the desktop app notes changes of its configuration in the audit log', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-desktop-audit-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const configFile = join(dataDir, 'gateway.json');
  const run = async (config: object): Promise<void> => {
    writeFileSync(configFile, JSON.stringify({ providers: [], models: [], ...config }));
    const running = await runGateway({
      type: 'start',
      configFile,
      dataDir: join(dataDir, 'data'),
      logsDir: join(dataDir, 'app-logs'),
      env: {},
      demoFixturesDir: dataDir,
      demo: false,
      secretsKey: '00'.repeat(32),
      language: 'en',
      mode: 'live',
      recordingsDir: join(dataDir, 'recordings'),
      place: { host: '127.0.0.1', port: 0, allowedHosts: [] },
      isPaused: false,
      fetch,
      post: () => undefined,
    });
    await running.stop(true);
  };
  await run({});
  await run({});
  await run({ logging: { inputOutput: false } });
  const [first, second, ...others] = await actionsIn(join(dataDir, 'data'));
  expect(first).toMatch(/^config\.change .*logging/);
  expect(second).toBe('config.change logging');
  expect(others).toEqual([]);
});
