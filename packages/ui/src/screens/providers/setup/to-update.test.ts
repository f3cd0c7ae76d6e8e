import { expect, test } from 'vitest';

import type { ProviderDraft } from './provider-draft.ts';
import { toUpdate } from './to-update.ts';

const BEFORE: ProviderDraft = {
  preset: null,
  wire: 'openai',
  address: 'https://models.example/v1',
  key: '',
  name: 'Models',
  slug: 'models',
  region: '',
};

test.each([
  ['nothing', {}, {}],
  ['a new key', { key: ' sk-2 ' }, { apiKey: 'sk-2' }],
  ['a name that is emptied', { name: '' }, { name: null }],
  [
    'an address and a region',
    { address: 'https://b.example/v1', region: 'eu' },
    { baseUrl: 'https://b.example/v1', region: 'eu' },
  ],
])('sends what differs: %s', (_, change, update) => {
  expect(toUpdate({ ...BEFORE, ...change }, BEFORE)).toEqual(update);
});
