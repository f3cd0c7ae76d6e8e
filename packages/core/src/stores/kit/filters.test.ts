import { expect, test } from 'vitest';

import { toRecord } from '../../../../../test/support/stores/generation-records.ts';
import type { GenerationField } from '../../wire/generation-fields.ts';
import type { GenerationCondition } from '../generation-queries.ts';
import { matchesFilter, toGenerationFacts } from './filters.ts';

const RECORDS = [
  toRecord('a', {
    userId: 'ada',
    generation: {
      session_id: 'one',
      tokens_prompt: 5,
      tokens_completion: 20,
      latency: 10,
      generation_time: 900,
      user_agent: 'tool/1.2',
      external_user: 'Bob',
      provider_responses: [{ status: 503, error: { code: 503, error_type: 'provider_unavailable' } }, { status: 200 }],
    },
  }),
  toRecord('b', { generation: { provider_name: null, finish_reason: 'error', cost_known: false, streamed: false } }),
];

const condition = (
  field: GenerationField,
  sign: GenerationCondition['sign'],
  value: string | number | boolean,
): GenerationCondition => ({ field, sign, values: [value], isNegated: false });

function refuse(): never {
  throw new Error('the record was read');
}

test.each<[GenerationCondition, string]>([
  [condition('session', ':', 'on*'), 'a'],
  [condition('model', ':', 'acme/*'), 'ab'],
  [condition('provider', ':', 'acme'), 'a'],
  [condition('member', ':', 'ada'), 'a'],
  [condition('key', ':', 'key-1'), 'ab'],
  [condition('status', ':', 'failed'), 'b'],
  [condition('priced', ':', false), 'b'],
  [condition('cost', '<=', 0.000001), 'a'],
  [condition('fallback', ':', true), 'a'],
  [condition('attempts', '>', 1), 'a'],
  [condition('duration', '>=', 900), 'a'],
  [condition('in', '<', 6), 'a'],
  [condition('out', '>', 19), 'a'],
  [condition('speed', '>', 1), 'a'],
  [condition('latency', '<=', 10), 'a'],
  [condition('finish', ':', 'error'), 'b'],
  [condition('agent', ':', 'tool/*'), 'a'],
  [condition('user', ':', 'bob'), 'a'],
  [condition('streamed', ':', true), 'a'],
  [condition('error', ':', 'provider_unavailable'), 'a'],
  [condition('error', ':', '503'), 'a'],
])('%j is met by what the facts say, without a look at the record', (one, expected) => {
  const met = RECORDS.filter((record) => matchesFilter(toGenerationFacts(record), { conditions: [one] }, refuse));
  expect(met.map(({ generation }) => generation.id).join('')).toBe(expected);
  const others = { ...one, isNegated: true };
  const left = RECORDS.filter((record) => matchesFilter(toGenerationFacts(record), { conditions: [others] }, refuse));
  expect(left.map(({ generation }) => generation.id).join('')).toBe('ab'.replace(expected, ''));
});

test('other fields are read from the record, only where the facts meet the rest', () => {
  const conditions = [condition('native_finish', ':', 'stop'), condition('status', ':', 'failed')];
  const [ok, failed] = RECORDS as [(typeof RECORDS)[0], (typeof RECORDS)[0]];
  expect(matchesFilter(toGenerationFacts(ok), { conditions }, refuse)).toBe(false);
  expect(matchesFilter(toGenerationFacts(failed), { conditions }, () => failed)).toBe(false);
  expect(() => matchesFilter(toGenerationFacts(failed), { conditions }, refuse)).toThrow('was read');
});
