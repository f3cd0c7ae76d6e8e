import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';

const PATHS = [
  '/generations',
  '/generations/histogram',
  '/generations/sessions',
  '/generations/cache-causes',
  '/generations/cache-marks',
  '/guardrails/hits',
  '/providers/history',
];

test.each(PATHS)(
  '%s answers to a clock that is ahead of the gateway’s with a span in which nothing is yet',
  async (path) => {
    const { call, platform } = createAdminGateway();
    const from = new Date(platform.now() + 90_000).toISOString();
    const { status, body } = await call('GET', `/admin/v1${path}?from=${from}`);
    expect({ status, error: body['error'] }).toEqual({ status: 200, error: undefined });
  },
);
