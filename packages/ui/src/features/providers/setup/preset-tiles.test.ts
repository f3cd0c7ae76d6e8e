import { expect, test } from 'vitest';

import { toTiles } from './preset-tiles.tsx';
import type { ProviderPreset } from './setup-queries.ts';

const preset = (id: string, base_url: string | null, needs_key: boolean): ProviderPreset => ({
  id,
  name: id.toUpperCase(),
  slug: id,
  wire: 'openai',
  base_url,
  address_example: null,
  needs_key,
  key_variable: null,
  key_page: null,
  lists_models: true,
  is_gateway: false,
  data_policy: { training: null, retains_prompts: null },
});
const PRESETS = [preset('acme', 'https://api.acme.example/v1', true), preset('local', 'http://127.0.0.1:1/v1', false)];
const SERVER = { preset: 'local', name: 'Local', base_url: 'http://127.0.0.1:1/v1', models: ['a'], set_up_as: null };

test.each([
  ['what runs on this machine stands first, a server of one’s own last', '', ['LOCAL', 'ACME', 'Another server']],
  ['a search finds by name', 'acm', ['ACME']],
  ['a search finds by host', 'api.acme', ['ACME']],
])('%s', (_, search, names) => {
  expect(toTiles(PRESETS, [SERVER], search).map(({ name }) => name)).toEqual(names);
});

test('a preset whose server was not found is there once, without a mark', () => {
  const tiles = toTiles(PRESETS, [], 'local');
  expect(tiles.map(({ note, server }) => [note, server])).toEqual([['127.0.0.1:1, no key', undefined]]);
});
