import { expect, test } from 'vitest';

import { withPrice } from './routing-fields.tsx';

test.each([
  ['2.50', { prompt: '2.50', image: 1 }],
  [' 3 ', { prompt: '3', image: 1 }],
  ['dear', { prompt: 'dear', image: 1 }],
  ['', { image: 1 }],
])('a bound is kept as it was typed, and an empty one is none: %j', (typed, prices) => {
  expect(withPrice({ prompt: '1', image: 1 }, 'prompt', typed)).toEqual(prices);
});
