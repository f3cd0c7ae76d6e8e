import { expect, test } from 'vitest';

import { asksForAddress, startDraft, toSettings } from './provider-draft.ts';
import type { ProviderPreset } from './setup-queries.ts';

const OLLAMA: ProviderPreset = {
  id: 'ollama',
  name: 'Ollama',
  slug: 'ollama',
  wire: 'openai',
  base_url: 'http://127.0.0.1:11434/v1',
  address_example: null,
  needs_key: false,
  key_variable: null,
  key_page: null,
  lists_models: true,
  is_gateway: false,
  data_policy: { training: false, retains_prompts: false },
};

test('a well-known provider is its preset and its key alone', () => {
  const draft = { ...startDraft(OLLAMA, undefined, new Set()), key: ' sk-1 ' };
  expect(toSettings(draft)).toEqual({ slug: 'ollama', preset: 'ollama', apiKey: 'sk-1' });
});

test('a server that was found has its address, unless that is the preset’s own', () => {
  const server = { preset: 'ollama', name: 'Ollama', base_url: 'http://127.0.0.1:9/v1', models: [], set_up_as: null };
  expect(toSettings(startDraft(OLLAMA, server, new Set()))).toMatchObject({ baseUrl: server.base_url });
  const usual = { ...server, base_url: OLLAMA.base_url ?? '' };
  expect(toSettings(startDraft(OLLAMA, usual, new Set()))).not.toHaveProperty('baseUrl');
});

test('a second provider of the same preset gets a slug of its own', () => {
  expect(startDraft(OLLAMA, undefined, new Set(['ollama', 'ollama-2'])).slug).toBe('ollama-3');
});

test('a server of one’s own is named by its format and address', () => {
  const draft = { ...startDraft(null, undefined, new Set()), address: 'https://models.example/v1', region: 'eu' };
  expect(toSettings(draft)).toEqual({
    slug: 'my-provider',
    wire: 'openai',
    baseUrl: 'https://models.example/v1',
    region: 'eu',
  });
});

test('what few providers need is given where it was typed', () => {
  const draft = {
    ...startDraft(OLLAMA, undefined, new Set()),
    headers: [
      { key: 0, name: ' X-Team ', value: 'blue' },
      { key: 1, name: '', value: 'nameless' },
    ],
    query: [{ key: 0, name: 'api-version', value: '2024-10-21' }],
    byok: true,
    dataPolicy: { training: false, retainsPrompts: null },
  };
  expect(toSettings(draft)).toEqual({
    slug: 'ollama',
    preset: 'ollama',
    headers: { 'X-Team': 'blue' },
    query: { 'api-version': '2024-10-21' },
    byok: true,
    dataPolicy: { training: false, retainsPrompts: null },
  });
});

test('says of a server of OpenAI’s format alone whether it has the Responses API, and only where the user does', () => {
  const draft = { ...startDraft(null, undefined, new Set()), address: 'https://models.example/v1' };
  expect(toSettings(draft)).not.toHaveProperty('responses');
  expect(toSettings({ ...draft, responses: true })).toMatchObject({ responses: true });
  expect(toSettings({ ...draft, preset: OLLAMA, responses: false })).toMatchObject({ responses: false });
  expect(toSettings({ ...draft, wire: 'anthropic', responses: true })).not.toHaveProperty('responses');
});

test('says whether there is a batch API and what it costs, where the form of the provider has one', () => {
  const draft = { ...startDraft(OLLAMA, undefined, new Set()), batches: true, batchPrice: '33.3' };
  expect(toSettings(draft)).toMatchObject({ batches: true, batchPriceShare: 0.333 });
  const films = toSettings({ ...draft, preset: null, wire: 'fal' });
  expect([Object.keys(films).includes('batches'), Object.keys(films).includes('batchPriceShare')]).toEqual([
    false,
    false,
  ]);
});

test('a provider that a package calls is named by that, with its key and its options', () => {
  const own = startDraft(null, undefined, new Set());
  const draft = {
    ...own,
    wire: 'package' as const,
    packageName: ' @ai-sdk/amazon-bedrock ',
    key: 'key',
    query: [{ key: 0, name: 'region', value: 'eu-central-1' }],
  };
  expect(toSettings(draft)).toEqual({
    slug: 'my-provider',
    package: '@ai-sdk/amazon-bedrock',
    apiKey: 'key',
    options: { region: 'eu-central-1' },
  });
  expect([asksForAddress(own), asksForAddress(draft)]).toEqual([true, false]);
});
