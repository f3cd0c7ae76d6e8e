import { type Generation, type GenerationCondition, matchesFilter, toGenerationFacts } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { toRecord } from '../../../../../test/support/stores/generation-records.ts';
import { toGenerationText } from './generation-lines.ts';
import { createTextCheck } from './query.ts';

const condition = (
  field: GenerationCondition['field'],
  values: readonly string[],
  isNegated = false,
): GenerationCondition => ({ field, sign: ':', values, isNegated });

const SAYS: Partial<Generation> = {
  origin: 'https://App.Example/',
  router: 'Auto',
  routing_rule: 'Rule-7',
  preset_id: 'terse',
  service_tier: 'flex',
  web_search_engine: 'exa',
  upstream_id: 'chatcmpl-9',
  upstream_provider_name: 'Oasis "East"',
  narrowed_by: ['guard-1'],
  pipeline: [{ type: 'plugin', name: 'web', summary: 'searched', data: {} }],
  feedback: [{ category: 'latency', comment: null, created_at: '2026-03-01T10:00:00.000Z' }],
  provider_responses: [{ endpoint_id: 'acme:chat-1', status: 503 }, { status: 200 }],
};
const SAYING = toRecord('gen-1', { generation: SAYS });
const PLAIN = toRecord('gen-2');

test.each<[GenerationCondition]>([
  [condition('app', ['https://app.*'])],
  [condition('router', ['auto'])],
  [condition('rule', ['none', 'rule-*'])],
  [condition('preset', ['terse'])],
  [condition('tier', ['flex'])],
  [condition('search_engine', ['exa'])],
  [condition('upstream_id', ['*-9'])],
  [condition('upstream', ['oasis*'])],
  [condition('guardrail', ['guard-1'])],
  [condition('stage', ['web'])],
  [condition('feedback', ['latency'])],
  [condition('endpoint', ['acme:*'])],
])('%j may be met by the record that meets it, and another need not be parsed', (one) => {
  const check = createTextCheck([one]);
  expect(matchesFilter(toGenerationFacts(SAYING), { conditions: [one] }, () => SAYING)).toBe(true);
  expect(check?.(toGenerationText(SAYING.generation))).toBe(true);
  if (one.field !== 'feedback') expect(check?.(toGenerationText(PLAIN.generation))).toBe(false);
});

test.each<[string, GenerationCondition]>([
  ['negated', condition('router', ['auto'], true)],
  ['of what JSON writes otherwise', condition('upstream', ['oasis "east"'])],
  ['of letters beyond ASCII', condition('upstream', ['açme'])],
  ['met by any text', condition('router', ['*'])],
  ['of one plain value and another', condition('router', ['auto', 'é'])],
  ['of a field that is left out where it is usual', condition('type', ['completions'])],
  ['of a field of the head', condition('workspace', ['one'])],
])('nothing is told of a condition that is %s', (_, one) => {
  expect(createTextCheck([one])).toBeUndefined();
});

test('all conditions that can be told of have to be possible', () => {
  const check = createTextCheck([condition('router', ['auto']), condition('type', ['x']), condition('tier', ['none'])]);
  expect(check?.(toGenerationText(SAYING.generation))).toBe(false);
});
