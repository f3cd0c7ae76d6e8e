import { expect, test } from 'vitest';

import { PRESETS } from './provider-presets.ts';

test.each(Object.entries(PRESETS))('the preset %s is complete and reaches its provider safely', (name, preset) => {
  expect(name).toMatch(/^[a-z][a-z0-9-]*$/);
  expect(preset.slug ?? name).toMatch(/^[a-z][a-z0-9-]*$/);
  expect(preset.name).not.toBe('');
  const url = new URL(preset.baseUrl ?? preset.ownAddress?.example ?? '');
  // A key must not travel in the clear; only a server on this machine has none.
  expect(url.protocol === 'https:').toBe(preset.apiKeyEnv !== null);
  expect(url.hostname === '127.0.0.1').toBe(preset.apiKeyEnv === null);
  // The version segment is part of the address, save at those that have none.
  if (name !== 'perplexity' && name !== 'fal') expect(url.pathname).toMatch(/\/v1(beta|\/openai)?$/);
});

test('the page where a key is made is one of https, and every preset with a key has one, unless each customer has their own', () => {
  for (const [name, { keyPage, apiKeyEnv, baseUrl }] of Object.entries(PRESETS)) {
    expect(keyPage !== undefined, name).toBe(apiKeyEnv !== null && baseUrl !== null);
    if (keyPage !== undefined) expect(new URL(keyPage).protocol, name).toBe('https:');
  }
});

test('a provider without an address of its own says where to find it', () => {
  const own = Object.values(PRESETS).filter(({ baseUrl }) => baseUrl === null);
  expect(own.map(({ ownAddress }) => ownAddress?.env)).toEqual(['AZURE_OPENAI_ENDPOINT', 'GATEWAY_UPSTREAM_URL']);
  for (const { ownAddress } of own) expect(ownAddress?.example.endsWith(ownAddress.path)).toBe(true);
});

test('no two presets share a slug or an address', () => {
  const all = Object.entries(PRESETS);
  expect(new Set(all.map(([name, { slug }]) => slug ?? name)).size).toBe(all.length);
  expect(new Set(all.map(([, { baseUrl, ownAddress }]) => baseUrl ?? ownAddress?.env)).size).toBe(all.length);
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
