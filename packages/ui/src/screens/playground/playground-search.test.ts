import { expect, test } from 'vitest';

import { toPlaygroundSearch } from './playground-search.ts';

test('reads what an address names, and leaves out what makes no sense', () => {
  expect(toPlaygroundSearch({ models: 'a/b,c/d', from: 'gen-1', open: 'x', odd: '1' })).toEqual({
    models: 'a/b,c/d',
    from: 'gen-1',
    open: 'x',
  });
  expect(toPlaygroundSearch({ models: '', from: 5 })).toEqual({});
});
