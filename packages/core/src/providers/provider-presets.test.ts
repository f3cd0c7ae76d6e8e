import { expect, test } from 'vitest';

import { addressOfPreset } from './preset-environment.ts';
import { PRESETS } from './provider-presets.ts';

test.each(Object.entries(PRESETS))('the preset %s is complete and reaches its provider safely', (name, preset) => {
  expect(name).toMatch(/^[a-z][a-z0-9-]*$/);
  expect(preset.slug ?? name).toMatch(/^[a-z][a-z0-9-]*$/);
  expect(preset.name).not.toBe('');
  const place = { region: 'eu-central-1', project: 'acme' };
  const url = new URL(addressOfPreset(preset, {}, place) ?? preset.ownAddress?.example ?? '');
  // A key must not travel in the clear; only a server on this machine has none, or an identity in its place.
  const isCalledWithKey = preset.apiKeyEnv !== null || preset.cloud !== undefined;
  expect(url.protocol === 'https:').toBe(isCalledWithKey);
  expect(url.hostname === '127.0.0.1').toBe(!isCalledWithKey);
  // The version segment is part of the address, save at those that have none, or more behind it.
  if (!['perplexity', 'fal', 'bedrock'].includes(name) && preset.cloud !== 'google')
    expect(url.pathname).toMatch(/\/v1(beta|\/openai)?$/);
});

test('the page where a key is made is one of https, and every preset with a key has one, unless each customer has their own', () => {
  for (const [name, { keyPage, apiKeyEnv, baseUrl }] of Object.entries(PRESETS)) {
    expect(keyPage !== undefined, name).toBe(apiKeyEnv !== null && baseUrl !== null);
    if (keyPage !== undefined) expect(new URL(keyPage).protocol, name).toBe('https:');
  }
});

test('a provider without an address of its own says where to find it', () => {
  const own = Object.values(PRESETS).filter(({ baseUrl, cloud }) => baseUrl === null && cloud !== 'google');
  expect(own.map(({ ownAddress }) => ownAddress?.env)).toEqual([
    'AZURE_OPENAI_ENDPOINT',
    'GATEWAY_UPSTREAM_URL',
    'AWS_REGION',
    'ANTHROPIC_FOUNDRY_BASE_URL',
  ]);
  for (const { ownAddress } of own) expect(ownAddress?.example.endsWith(ownAddress.path)).toBe(true);
});

test.each([
  ['bedrock', { AWS_DEFAULT_REGION: 'us-west-2' }, {}, 'https://bedrock-runtime.us-west-2.amazonaws.com'],
  [
    'bedrock',
    { AWS_REGION: 'us-west-2' },
    { region: 'eu-central-1' },
    'https://bedrock-runtime.eu-central-1.amazonaws.com',
  ],
  ['bedrock', {}, {}, undefined],
  ['bedrock', { AWS_REGION: 'evil.example/x' }, {}, undefined],
  [
    'vertex',
    { GOOGLE_CLOUD_PROJECT: 'acme', GOOGLE_CLOUD_LOCATION: 'europe-west4' },
    {},
    'https://europe-west4-aiplatform.googleapis.com/v1/projects/acme/locations/europe-west4/publishers/google',
  ],
  [
    'vertex-anthropic',
    { ANTHROPIC_VERTEX_PROJECT_ID: 'acme', CLOUD_ML_REGION: 'global' },
    {},
    'https://aiplatform.googleapis.com/v1/projects/acme/locations/global/publishers/anthropic',
  ],
  [
    'vertex',
    {},
    { region: 'eu', project: 'acme' },
    'https://aiplatform.eu.rep.googleapis.com/v1/projects/acme/locations/eu/publishers/google',
  ],
  ['vertex', { GOOGLE_CLOUD_LOCATION: 'global' }, {}, undefined],
])('the address of %s in %j and %j is %s', (name, env, place, address) => {
  const preset = PRESETS[name];
  if (preset === undefined) throw new Error(`There is no preset ${name}`);
  expect(addressOfPreset(preset, env, place)).toBe(address);
});

test('no two presets share a slug or an address', () => {
  const all = Object.entries(PRESETS);
  expect(new Set(all.map(([name, { slug }]) => slug ?? name)).size).toBe(all.length);
  const addresses = all.map(([, { baseUrl, ownAddress, publisher }]) => baseUrl ?? ownAddress?.env ?? publisher);
  expect(new Set(addresses).size).toBe(all.length);
});

test('only servers that are known to continue a completion are asked to, each in its own form', () => {
  const forms = Object.entries(PRESETS).flatMap(([name, preset]) =>
    preset.wire === 'openai' && preset.dialect.prefill !== null ? [[name, preset.dialect.prefill]] : [],
  );
  expect(Object.fromEntries(forms)).toEqual({
    deepseek: 'prefix',
    mistral: 'prefix',
    'llama-cpp': 'continues',
    vllm: 'continue_final_message',
  });
});
