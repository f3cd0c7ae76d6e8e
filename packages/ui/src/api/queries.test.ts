import { expect, test } from 'vitest';

import { ApiError } from './api-error.ts';
import { refreshEvery } from './queries.ts';

const away = new ApiError('away', { status: 503, errorType: 'provider_overloaded' });
const unreachable = new ApiError('unreachable', { status: 0, errorType: 'unreachable' });

test.each([
  ['was loaded', { data: [], error: null }, 5000],
  ['is being loaded', { data: undefined, error: null }, 5000],
  ['was loaded before the database went away', { data: [], error: away }, 5000],
  ['could not be loaded because nothing answered', { data: undefined, error: unreachable }, 5000],
  ['could not be loaded because the database is away', { data: undefined, error: away }, false],
])('the interval of what %s', (_, state, interval) => {
  expect(refreshEvery(5000)({ state })).toBe(interval);
});
