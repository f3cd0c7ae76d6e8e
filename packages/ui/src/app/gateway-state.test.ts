import { expect, test } from 'vitest';

import { toGatewayState, toStateText } from './gateway-state.ts';

const calm = { health: { status: 'ok' }, isError: false, phase: undefined } as const;

test.each([
  [{}, 'good', 'Running'],
  [{ health: undefined }, 'unknown', 'Checking'],
  [{ isError: true }, 'bad', 'Unreachable'],
  [{ phase: 'not-listening' }, 'caution', 'Not listening'],
  [{ phase: 'listening' }, 'good', 'Running'],
  [{ health: { status: 'ok', trouble: 'store_away' } }, 'caution', 'Database unavailable · requests continue'],
  [{ health: { status: 'ok', trouble: 'store_not_ready' } }, 'bad', 'Not ready · requests are refused'],
  [{ health: { status: 'ok', trouble: 'closing' } }, 'caution', 'Shutting down · new requests are refused'],
  [{ health: { status: 'ok', trouble: 'shared_away' } }, 'caution', 'Redis unavailable · limits are not shared'],
  [{ health: { status: 'degraded', trouble: 'unrecorded' } }, 'caution', 'Degraded · some requests were not recorded'],
] as const)('%o is shown as %s: %s', (change, tone, text) => {
  const state = toGatewayState({ ...calm, ...change });
  expect([state.tone, toStateText(state)]).toEqual([tone, text]);
});
