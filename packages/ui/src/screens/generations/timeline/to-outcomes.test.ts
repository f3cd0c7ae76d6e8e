import type { Generation, RoutingDecision } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import { toOutcomes } from './endpoint-outcomes.tsx';

const DECISION: RoutingDecision = {
  requested: 'acme/chat',
  strategy: 'direct',
  ordered_by: 'price',
  candidates: [
    { provider: 'gone', provider_name: 'Gone', model: 'acme/chat', state: 'unstable' },
    { provider: 'here', provider_name: 'Here', model: 'acme/chat' },
    { provider: 'spare', provider_name: 'Spare', model: 'acme/chat' },
    { provider: 'dear', provider_name: 'Dear', model: 'acme/chat', rule: 'max_price' },
  ],
};
const failed = {
  endpoint_id: 'gone:m',
  model_permaslug: 'acme/chat',
  status: 503,
  error: { code: 502, error_type: 'x' },
};
const served = { endpoint_id: 'here:m', model_permaslug: 'acme/chat', status: 200 };
type Attempts = NonNullable<Generation['provider_responses']>;
const told = (attempts: Attempts, decision = DECISION) =>
  toOutcomes(decision, attempts, (rule) => `rule ${rule}`).map(({ kind, attempts: asked, reason }) => [
    kind,
    asked,
    reason,
  ]);

test('tells of every endpoint whether it was asked, and why not', () => {
  expect(told([failed, served])).toEqual([
    ['asked', [1], expect.stringContaining('Many of its recent requests')],
    ['asked', [2], ''],
    ['not-asked', [], 'An earlier endpoint responded.'],
    ['excluded', [], 'rule max_price'],
  ]);
});

test('tells why an endpoint was passed over after a failure', () => {
  const candidates = DECISION.candidates.map((candidate) =>
    candidate.provider === 'here' ? { ...candidate, skipped: 'same_refusal' as const } : candidate,
  );
  expect(told([failed], { ...DECISION, candidates })).toMatchObject([
    ['asked', [1], {}],
    ['not-asked', [], expect.stringContaining('same reason')],
    ['not-asked', [], 'The request ended before it was tried.'],
    ['excluded', [], {}],
  ]);
});

test('does not take one provider for another whose slug begins alike', () => {
  const other = { ...served, endpoint_id: 'here/flex:m' };
  expect(told([other])[1]).toEqual(['not-asked', [], 'An earlier endpoint responded.']);
});

test('reads the state of an endpoint by its former name', () => {
  const candidates = DECISION.candidates.map(({ state, ...candidate }) => ({ ...candidate, standing: state }));
  expect(told([failed, served], { ...DECISION, candidates })).toEqual(told([failed, served]));
});
