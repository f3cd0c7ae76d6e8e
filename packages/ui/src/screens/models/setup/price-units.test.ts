import { expect, test } from 'vitest';

import { copyPrices, FURTHER_UNITS, MAIN_UNITS, toPriceLabel, toPricing, toTypedPrices } from './price-units.ts';

test('prices of tokens are typed for a million, all others each, and none loses a digit', () => {
  const pricing = { prompt: '0.00000015', input_cache_read: '0.000000075', image: '0.0123', web_search: '0.01' };
  const typed = { prompt: '0.15', input_cache_read: '0.075', image: '0.0123', web_search: '0.01' };
  expect(toTypedPrices(pricing)).toEqual(typed);
  expect(toPricing(typed)).toEqual(pricing);
  expect([toPriceLabel('internal_reasoning'), toPriceLabel('request')]).toEqual([
    'Reasoning, USD per million tokens',
    'Request, USD each',
  ]);
});

test('every unit of the catalog has a field', () => {
  expect([...MAIN_UNITS, ...FURTHER_UNITS]).toHaveLength(22);
});

test('an empty price is none, and what is no price is sent as it was typed', () => {
  expect(toPricing({ prompt: ' ', completion: 'cheap' })).toEqual({ completion: 'cheap' });
});

test('copied prices leave out what is not known or not charged, but for a model that is free', () => {
  expect(copyPrices({ pricing: { prompt: '0', completion: '0', request: '0', image: '0' } })).toEqual({
    prompt: '0',
    completion: '0',
  });
  const pricing = {
    prompt: '0.000003',
    completion: '-1',
    request: '0.005',
    image: '0',
    internal_reasoning: '0.000015',
  };
  expect(copyPrices({ pricing })).toEqual({ prompt: '3', request: '0.005', internal_reasoning: '15' });
});
