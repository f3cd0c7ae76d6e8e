import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Provider, UNKNOWN_DATA_POLICY } from '@model-gateway/core';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { loadConfig, type ProviderConfig } from '@model-gateway/node';
import { expect, test } from 'vitest';

import { checkAuth } from './call-checks.ts';

type Env = Readonly<Record<string, string>>;

/** Bedrock as a config file has it. */
function toConfig(cloud: object): ProviderConfig {
  const file = join(mkdtempSync(join(tmpdir(), 'doctor-')), 'config.json');
  writeFileSync(file, JSON.stringify({ providers: [{ slug: 'bedrock', preset: 'bedrock', cloud }] }));
  const [config] = loadConfig({ file, env: {}, presets: PRESETS }).providers;
  if (config === undefined) throw new Error('There is no provider');
  return config;
}

const check = (env: Env, cloud: object = {}, listModels?: Provider['listModels']) =>
  checkAuth({
    config: toConfig({ region: 'eu-central-1', ...cloud }),
    provider: {
      slug: 'bedrock',
      name: 'Amazon Bedrock',
      dataPolicy: UNKNOWN_DATA_POLICY,
      ...(listModels && { listModels }),
    },
    timeouts: loadConfig({ env: {} }).timeouts,
    env,
  });

const KEYS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret-of-account' };
const NOWHERE = {
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: '/nowhere/config',
  AWS_SHARED_CREDENTIALS_FILE: '/nowhere/credentials',
};

test('the check of a key says where an identity was found, and never what it is', async () => {
  const { finding } = await check(KEYS);
  expect(finding).toEqual({
    layer: 'auth',
    status: 'ok',
    detail: 'called with credentials of the environment (AWS_ACCESS_KEY_ID)',
  });
  const listed = await check(KEYS, {}, () => Promise.resolve([{ id: 'amazon.nova-pro-v1:0' }]));
  expect(listed.finding.detail).toBe('1 models listed with credentials of the environment (AWS_ACCESS_KEY_ID)');
  expect(JSON.stringify([finding, listed])).not.toContain('secret-of-account');
});

test('an identity that is not found fails the check, with the places that were looked at', async () => {
  const { finding } = await check(NOWHERE);
  expect(finding).toMatchObject({
    layer: 'auth',
    status: 'failed',
    detail: expect.stringMatching(
      /^no credentials of AWS were found; environment .*: none; .* role of the instance: none$/,
    ),
    advice: 'Give this machine an identity, or name one in "cloud" of the provider "bedrock".',
  });
  const named = await check(NOWHERE, { profile: 'work' });
  expect(named.finding.detail).toBe('there is no profile "work" (there are no shared files)');
});
