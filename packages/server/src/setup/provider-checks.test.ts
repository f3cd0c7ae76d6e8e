import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ProviderFinding } from '@model-gateway/core';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { loadConfig } from '@model-gateway/node';
import { afterAll, expect, test } from 'vitest';

import { createDeferred } from '../../../../test/support/async/deferred.ts';
import { startRawUpstream, toRawResponse } from '../../../../test/support/upstreams/raw-upstream.ts';
import { connectProviders } from '../open/connect-providers.ts';
import { listSecrets } from '../open/open-secrets.ts';
import { createRedactor } from '../process/logger.ts';
import { createProviderChecks } from './provider-checks.ts';

const folder = mkdtempSync(join(tmpdir(), 'checks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const KEY = 'sk-secret-of-the-provider-1234';

async function open(baseUrl: string) {
  const file = join(folder, 'gateway.config.json');
  const providers = [{ slug: 'up', wire: 'openai', baseUrl, apiKey: KEY, discoverModels: true }];
  writeFileSync(file, JSON.stringify({ providers }));
  const config = loadConfig({ file, env: {}, presets: PRESETS });
  const { providers: connected, connector, closeAfterwards } = await connectProviders(config, { logger: console });
  const [up] = connected;
  if (up === undefined) throw new Error('one provider');
  return {
    up,
    checks: createProviderChecks({ current: () => config, connector, redact: createRedactor(listSecrets(config)) }),
    close: () => Promise.all(closeAfterwards.map((closable) => closable.close())),
  };
}

const NEVER = new AbortController().signal;

async function findAll(test: AsyncIterable<ProviderFinding>): Promise<ProviderFinding[]> {
  const findings: ProviderFinding[] = [];
  for await (const finding of test) findings.push(finding);
  return findings;
}

test('tells where a provider is and that it has a key, never which', async () => {
  const { checks, up, close } = await open('https://up.example:8443/v1');
  expect(checks.describe(up)).toEqual({ host: 'up.example:8443', hasKey: true });
  expect(checks.describe({ ...up })).toBeUndefined();
  await close();
});

test('looks at a provider layer by layer, and repeats no key that the server says back', async () => {
  const upstream = await startRawUpstream(
    ({ head, socket }) =>
      void socket.end(
        head.startsWith('GET') ? toRawResponse(200, { data: [{ id: `model-${KEY}` }] }) : toRawResponse(500, ''),
      ),
  );
  const { checks, up, close } = await open(upstream.baseUrl);
  const findings = await findAll(checks.test(up, { call: true, signal: NEVER }));
  expect(findings.map(({ layer, status }) => `${layer} ${status}`)).toEqual([
    'address ok',
    'dns skipped',
    'tcp ok',
    'tls skipped',
    'auth ok',
    'call failed',
  ]);
  expect(findings.at(-1)?.detail).toContain('model-[redacted]');
  await close();
});

test('runs one test of a provider at a time, however often it is asked for', async () => {
  let asked = 0;
  const upstream = await startRawUpstream(({ socket }) => {
    asked += 1;
    socket.end(toRawResponse(200, { data: [] }));
  });
  const { checks, up, close } = await open(upstream.baseUrl);
  const look = () => findAll(checks.test(up, { call: false, signal: NEVER }));
  const results = await Promise.all(Array.from({ length: 5 }, look));
  expect([asked, new Set(results.map((found) => JSON.stringify(found))).size]).toEqual([1, 1]);
  await look();
  expect(asked).toBe(2);
  await close();
});

test('a test ends for who leaves it, and for the provider when all have left', async () => {
  const reached = createDeferred();
  const left = createDeferred();
  const upstream = await startRawUpstream(({ socket }) => {
    socket.once('close', () => left.resolve());
    reached.resolve();
  });
  const { checks, up, close } = await open(upstream.baseUrl);
  const [first, second] = [new AbortController(), new AbortController()];
  const found = [first, second].map(({ signal }) => findAll(checks.test(up, { call: false, signal })));
  await reached.promise;
  first.abort();
  expect((await found[0])?.map(({ layer }) => layer)).toEqual(['address', 'dns', 'tcp', 'tls']);
  expect(upstream.requests).toHaveLength(1);
  second.abort();
  await left.promise;
  expect(await found[1]).toHaveLength(4);
  await close();
});
