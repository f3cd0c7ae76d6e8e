import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PRESETS } from '@model-gateway/core/providers/presets';
import { providerSettingsSchema } from '@model-gateway/core/setup';
import { expect, test } from 'vitest';

import { checkProvider } from './check-config.ts';
import { ConfigError } from './config-errors.ts';
import { loadConfig } from './load-config.ts';
import type { ProviderConfig } from './provider-config.ts';

type Env = Readonly<Record<string, string>>;

function load(provider: object, env: Env = {}): ProviderConfig | undefined {
  const file = join(mkdtempSync(join(tmpdir(), 'config-')), 'config.json');
  writeFileSync(file, JSON.stringify({ providers: [provider] }));
  return loadConfig({ file, env, presets: PRESETS }).providers[0];
}

function findIssues(provider: object, env: Env = {}): string[] {
  try {
    load(provider, env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map(({ path, message }) => `${path}: ${message}`);
  }
}

const bedrock = { slug: 'bedrock', preset: 'bedrock' };
const vertex = { slug: 'vertex', preset: 'vertex' };
const azure = { slug: 'azure', preset: 'azure', baseUrl: 'https://acme.openai.azure.com/openai/v1' };

test('Bedrock is called by the identity of the machine, unless there is a key of Bedrock', () => {
  const cloud = { region: 'eu-central-1', roleArn: 'arn:aws:iam::1:role/models' };
  expect(load({ ...bedrock, cloud })).toMatchObject({
    wire: 'bedrock',
    baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
    apiKey: undefined,
    cloud: { kind: 'aws', ...cloud },
  });
  const env = { AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key', AWS_REGION: 'us-east-1' };
  expect(load(bedrock, env)).toMatchObject({ apiKey: 'bedrock-key', cloud: null });
  expect(loadConfig({ env, presets: PRESETS }).providers.map(({ slug }) => slug)).toEqual(['bedrock']);
});

test('keys of an account alone make no provider: they may be there for something else', () => {
  const env = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'us-east-1' };
  expect(loadConfig({ env, presets: PRESETS }).providers).toEqual([]);
});

test('Vertex AI is called in a project and a place, of the file or of the environment', () => {
  const env = { GOOGLE_CLOUD_PROJECT: 'acme', GOOGLE_CLOUD_LOCATION: 'global' };
  expect(load({ slug: 'v', preset: 'vertex-anthropic', cloud: { region: 'europe-west1' } }, env)).toMatchObject({
    wire: 'anthropic',
    baseUrl:
      'https://europe-west1-aiplatform.googleapis.com/v1/projects/acme/locations/europe-west1/publishers/anthropic',
    cloud: { kind: 'google', project: 'acme', region: 'europe-west1' },
  });
});

test('Azure is called with a key, and by an identity where one is asked for', () => {
  const env = { AZURE_OPENAI_API_KEY: 'k' };
  expect(load(azure, env)).toMatchObject({ apiKey: 'k', cloud: null });
  expect(load({ ...azure, cloud: {} }, env)).toMatchObject({ apiKey: undefined, cloud: { kind: 'azure' } });
  const deployment = {
    baseUrl: 'https://acme.openai.azure.com/openai/deployments/{model}',
    query: { 'api-version': 'v' },
  };
  expect(load({ ...azure, ...deployment, cloud: { clientId: 'c' } })).toMatchObject({
    ...deployment,
    cloud: { kind: 'azure', clientId: 'c' },
  });
});

test.each<[object, string]>([
  [
    bedrock,
    'providers[0].cloud: does not say where; Amazon Bedrock needs a region: "region" in "cloud", or AWS_REGION',
  ],
  [
    { ...vertex, cloud: { region: 'global' } },
    'providers[0].cloud: does not say where; Google Vertex AI needs a project and a location: ' +
      '"project" and "region" in "cloud", or GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION',
  ],
  [
    { ...bedrock, cloud: { region: 'eu-central-1', keyFile: 'k.json' } },
    'providers[0].cloud.keyFile: is not for Amazon Bedrock; there are "region", "profile", "roleArn", "externalId"',
  ],
  [
    { ...bedrock, cloud: { region: 'evil.example/' } },
    'providers[0].cloud.region: must be small letters, digits and hyphens',
  ],
  [
    { ...azure, apiKey: 'k', cloud: {} },
    'providers[0].cloud: contradicts "apiKey": it is called either by an identity or with a key',
  ],
  [{ slug: 'openai', preset: 'openai', apiKey: 'k', cloud: {} }, 'providers[0].cloud: is not for OpenAI; remove it'],
])('%j is refused with what to do', (provider, issue) => {
  expect(findIssues(provider)).toEqual([issue]);
});

test('who sets a provider up over HTTP cannot call by the identity of the machine', () => {
  const find = (provider: object) =>
    checkProvider(providerSettingsSchema.parse(provider), { presets: PRESETS, env: null }).map(({ field }) => field);
  const baseUrl = 'https://bedrock-runtime.eu-central-1.amazonaws.com';
  expect(find({ ...bedrock, baseUrl, apiKey: 'k' })).toEqual([]);
  expect(find({ ...bedrock, baseUrl })).toEqual(['apiKey']);
  expect(find({ ...bedrock, baseUrl, apiKey: 'k', cloud: { profile: 'root' } })).toEqual(['cloud']);
  expect(find({ ...azure, cloud: {} })).toEqual(['cloud']);
  expect(find({ ...vertex, cloud: { project: 'acme', region: 'global' } })).toContain('cloud');
});
