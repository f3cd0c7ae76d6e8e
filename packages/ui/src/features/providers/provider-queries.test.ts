import type { ProviderSetup } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import { filterProviders } from './filter-providers.ts';
import { joinProviders, type ProviderState } from './provider-queries.ts';

const provider = (slug: string, host: string | null, status: ProviderState['health']['status']): ProviderState => ({
  slug,
  name: slug.toUpperCase(),
  host,
  has_key: null,
  byok: false,
  discovers_models: false,
  models: 1,
  models_left_out: null,
  health: { status, endpoints: { steady: 1, unstable: 0, resting: 0, failing: 0, half_open: 0, open: 0, unused: 0 } },
  can_test: true,
  keys: [],
});
const setup = (slug: string, status: ProviderSetup['status'], source: ProviderSetup['source']): ProviderSetup => ({
  slug,
  name: slug,
  source,
  enabled: status !== 'off',
  status,
  problem: null,
  address: `https://${slug}.example/v1`,
  has_key: true,
  key_hint: null,
  header_names: [],
  settings: null,
  created_at: null,
  updated_at: null,
});
const STATES = [provider('acme', 'api.acme.example', 'ok'), provider('beta', null, 'down')];
const ALL = joinProviders(STATES, []);

test('what was set up and is left out stands behind those that are called', () => {
  const rows = joinProviders(STATES, [setup('locked', 'locked', 'stored'), setup('beta', 'ready', 'stored')]);
  expect(rows.map(({ slug, host, setup: found }) => [slug, host, found?.status])).toEqual([
    ['acme', 'api.acme.example', undefined],
    ['beta', null, 'ready'],
    ['locked', 'locked.example', 'locked'],
  ]);
  expect(filterProviders(rows, { status: 'locked' })).toHaveLength(1);
});

test('what the configuration has under the same slug counts, and the other stands with it', () => {
  const [row] = joinProviders(STATES, [setup('acme', 'ready', 'config'), setup('acme', 'shadowed', 'stored')]);
  expect([row?.setup?.source, row?.shadowed?.source]).toEqual(['config', 'stored']);
});

test.each([
  [{}, ['acme', 'beta']],
  [{ q: 'API.ACME' }, ['acme']],
  [{ q: 'bet' }, ['beta']],
  [{ status: 'down' }, ['beta']],
  [{ q: 'acme', status: 'down' }, []],
])('finds providers by %j', (filter, slugs) => {
  expect(filterProviders(ALL, filter).map(({ slug }) => slug)).toEqual(slugs);
});
