import { expect, test } from 'vitest';

import { toPricePerMillion, toPricePerToken } from './price-units.ts';

test.each([
  ['0.15', '0.00000015'],
  ['3', '0.000003'],
  ['0', '0'],
  ['0.1', '0.0000001'],
  ['1234567.89', '1.23456789'],
  ['0.000000000000000000001', '0.000000000000000000000000001'],
  ['1000000', '1'],
])('$%s a million tokens are %s a token, and back', (perMillion, perToken) => {
  expect(toPricePerToken(perMillion)).toBe(perToken);
  expect(toPricePerMillion(perToken)).toBe(perMillion);
});

test.each(['.5', '5.', '00.50', ' 0.5 '])('takes what people type: %j', (text) => {
  expect(toPricePerMillion(toPricePerToken(text) ?? '')).toBe(text.includes('0.5') || text === '.5' ? '0.5' : '5');
});

test.each(['', '.', '-1', '1e3', '1,5', 'free'])('says that %j is no price', (text) => {
  expect(toPricePerToken(text)).toBeNull();
});
