import { expect, test } from 'vitest';

import type { ProviderDraft } from '../../../features/providers/setup/provider-draft.ts';
import { changesConnection, toUpdate } from './to-update.ts';

const BEFORE: ProviderDraft = {
  preset: null,
  wire: 'openai',
  packageName: '',
  address: 'https://models.example/v1',
  key: '',
  keys: [],
  name: 'Models',
  slug: 'models',
  region: '',
  headers: [{ key: 0, name: 'X-Team', value: '', isSaved: true }],
  query: [{ key: 0, name: 'api-version', value: '1' }],
  byok: false,
  dataPolicy: null,
  responses: null,
  batches: null,
  batchPrice: '',
  removesKey: false,
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
  ['a key that goes', { removesKey: true }, { apiKey: null }],
  ['a saved header that goes', { headers: [] }, { headers: { 'X-Team': null } }],
  [
    'another value of a saved header, and one more',
    {
      headers: [
        { key: 0, name: 'X-Team', value: 'blue', isSaved: true },
        { key: 1, name: 'X-Cost', value: '7' },
      ],
    },
    { headers: { 'X-Team': 'blue', 'X-Cost': '7' } },
  ],
  ['a query that is emptied', { query: [] }, { query: {} }],
  ['that it has the Responses API', { responses: true }, { responses: true }],
  ['that it has a batch API', { batches: true }, { batches: true }],
  ['what its batches cost', { batchPrice: '12.5' }, { batchPriceShare: 0.125 }],
  ['that its batches are free', { batchPrice: '0' }, { batchPriceShare: 0 }],
  ['who pays', { byok: true }, { byok: true }],
  [
    'what is said of data',
    { dataPolicy: { training: false, retainsPrompts: null } },
    { dataPolicy: { training: false, retainsPrompts: null } },
  ],
])('sends what differs: %s', (_, change, update) => {
  expect(toUpdate({ ...BEFORE, ...change }, BEFORE)).toEqual(update);
});

test('what is said of data goes back to what is known of the preset', () => {
  const before = { ...BEFORE, dataPolicy: { training: true, retainsPrompts: true } };
  expect(toUpdate({ ...before, dataPolicy: null }, before)).toEqual({ dataPolicy: null });
});

test('whether it has the Responses API goes back to what is known of the preset', () => {
  expect(toUpdate(BEFORE, { ...BEFORE, responses: true })).toEqual({ responses: null });
});

test('whether it has a batch API, and its price there, go back to what is usual', () => {
  const before = { ...BEFORE, batches: false, batchPrice: '25' };
  expect(toUpdate(BEFORE, before)).toEqual({ batches: null, batchPriceShare: null });
});

test('a new key or address is tested before it is saved, and a key that goes is not', () => {
  expect([{ apiKey: 'sk-2' }, { baseUrl: null }, { headers: {} }].every(changesConnection)).toBe(true);
  expect([{}, { name: 'x' }, { apiKey: null }, { discoverModels: true }].some(changesConnection)).toBe(false);
});

test('sends the whole list of keys when one of them changes, and saved keys by their names alone', () => {
  const saved = { id: 0, name: 'one', key: '', shown: '…0001', isOff: false, numbers: { weight: 2 } };
  const added = { id: 1, name: 'two', key: 'sk-two', shown: '', isOff: false, numbers: {} };
  const known = { ...BEFORE, keys: [saved] };
  expect(toUpdate(known, known)).toEqual({});
  const update = toUpdate({ ...known, keys: [saved, added] }, known);
  expect(update).toEqual({
    apiKeys: [
      { name: 'one', key: '', weight: 2 },
      { name: 'two', key: 'sk-two' },
    ],
  });
  expect(changesConnection(update)).toBe(true);
});
