import { expect, test } from 'vitest';

import { toBefore } from './change-key.ts';

const KEY = {
  name: 'Tool',
  disabled: false,
  limit: 5,
  limit_reset: 'monthly',
  include_byok_in_limit: false,
  expires_at: null,
} as const;

test('what is taken back are the fields that were changed, as they were, and no others', () => {
  expect(toBefore(KEY, { disabled: true })).toEqual({ disabled: false });
  expect(toBefore(KEY, { ...KEY, name: 'Renamed', limit: null })).toEqual({ name: 'Tool', limit: 5 });
  expect(toBefore(KEY, { ...KEY })).toEqual({});
});
