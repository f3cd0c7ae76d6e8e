import { expect, test } from 'vitest';

import { filterProviders, type ProviderState } from './provider-queries.ts';

const provider = (slug: string, host: string | null, status: ProviderState['health']['status']): ProviderState => ({
  slug,
  name: slug.toUpperCase(),
  host,
  has_key: null,
  byok: false,
  discovers_models: false,
  models: 1,
  health: { status, endpoints: { steady: 1, unstable: 0, resting: 0, failing: 0, half_open: 0, open: 0, unused: 0 } },
  can_test: true,
});
const ALL = [provider('acme', 'api.acme.example', 'ok'), provider('beta', null, 'down')];

test.each([
  [{}, ['acme', 'beta']],
  [{ q: 'API.ACME' }, ['acme']],
  [{ q: 'bet' }, ['beta']],
  [{ status: 'down' }, ['beta']],
  [{ q: 'acme', status: 'down' }, []],
])('finds providers by %j', (filter, slugs) => {
  expect(filterProviders(ALL, filter).map(({ slug }) => slug)).toEqual(slugs);
});
