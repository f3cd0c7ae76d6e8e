import type { Destination } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import { toConfig, toDestinationChange, toDestinationDraft, toDestinationReversal } from './destination-draft.ts';

const WEBHOOK: Destination = {
  id: 'd1',
  workspace_id: 'default',
  type: 'webhook',
  name: 'Traces',
  enabled: true,
  privacy_mode: false,
  sampling_rate: 1,
  api_key_hashes: null,
  filter_rules: null,
  broadcast_generation_cost: true,
  broadcast_generation_identity: true,
  broadcast_generation_request_context: true,
  regions: ['global'],
  config: { url: 'https://example.com/?********', method: 'POST', headers: { 'X-A': '********' } },
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
};

test('changes nothing that was not touched', () => {
  const draft = toDestinationDraft(WEBHOOK);
  expect(toDestinationChange(draft, toDestinationDraft(WEBHOOK))).toEqual({});
});

test('sends what was touched, and headers as a whole, because the gateway replaces them so', () => {
  const before = toDestinationDraft(WEBHOOK);
  const draft = { ...before, sampling_rate: 0.5, headers: `${before.headers}\nX-B:  a:b ` };
  expect(toDestinationChange(draft, before)).toEqual({
    sampling_rate: 0.5,
    config: { headers: { 'X-A': '********', 'X-B': 'a:b' } },
  });
});

test('sends no masked secret with another change, nor with what takes it back', () => {
  const before = toDestinationDraft(WEBHOOK);
  const draft = { ...before, config: { ...before.config, method: 'PUT' } };
  expect(toDestinationChange(draft, before)).toEqual({ config: { method: 'PUT' } });
  expect(toDestinationReversal(draft, before)).toEqual({ config: { method: 'POST' } });
});

test('leaves out optional fields without a value, and keeps a line without a colon for the gateway to refuse', () => {
  expect(toConfig({ config: { bucketName: 'b', prefix: '' }, headers: ' nonsense \n\n' })).toEqual({
    bucketName: 'b',
    headers: { nonsense: '' },
  });
});

test('sends null for an optional field that was emptied, which is taken back by its value', () => {
  const before = toDestinationDraft(WEBHOOK);
  const draft = { ...before, config: { ...before.config, method: '' } };
  expect(toDestinationChange(draft, before)).toMatchObject({ config: { method: null } });
  expect(toDestinationReversal(draft, before)).toMatchObject({ config: { method: 'POST' } });
  expect(toDestinationReversal(before, draft)).toMatchObject({ config: { method: null } });
});

test('takes back a change, but none that replaced a secret', () => {
  const before = toDestinationDraft(WEBHOOK);
  const after = (change: object, config: object = {}) => ({
    ...before,
    ...change,
    config: { ...before.config, ...config },
  });
  expect(toDestinationReversal(after({ enabled: false, sampling_rate: 0.5 }), before)).toEqual({
    enabled: true,
    sampling_rate: 1,
  });
  expect(toDestinationReversal(after({}, { method: 'PUT' }), before)).toMatchObject({ config: { method: 'POST' } });
  expect(toDestinationReversal(after({}, { url: 'https://other.example/' }), before)).toBeNull();
  expect(toDestinationReversal(after({ headers: 'X-A: new' }), before)).toBeNull();
  const without = { ...before, headers: '' };
  expect(toDestinationReversal({ ...without, headers: 'X-C: d' }, without)).toMatchObject({ config: { headers: {} } });
});
