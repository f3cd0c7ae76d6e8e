import { expect, test } from 'vitest';

import { spentOfLimit } from './key-parts.tsx';

const KEY = {
  limit_reset: null,
  include_byok_in_limit: false,
  usage: 9,
  usage_daily: 1,
  usage_weekly: 2,
  usage_monthly: 4,
  byok_usage: 0.9,
  byok_usage_daily: 0.1,
  byok_usage_weekly: 0.2,
  byok_usage_monthly: 0.4,
};

test.each([
  [{}, 9],
  [{ limit_reset: 'daily' }, 1],
  [{ limit_reset: 'weekly', include_byok_in_limit: true }, 2.2],
  [{ include_byok_in_limit: true }, 9.9],
] as const)('of a key with %j, as much has been spent as counts in its period, also beyond the limit', (own, spent) => {
  expect(spentOfLimit({ ...KEY, ...own })).toBeCloseTo(spent, 9);
});
