import { toAttemptFacts, toGenerationFacts } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { toRecord } from '../../../../../test/support/stores/generation-records.ts';
import { createFactColumns } from './fact-columns.ts';
import type { FoundFacts } from './generation-entry.ts';

const OK = { endpoint_id: 'acme:chat-1', model_permaslug: 'acme/chat-1', provider_name: 'Acme', status: 200 };
const FAILED = { ...OK, endpoint_id: 'beta:chat-1', provider_name: 'Beta', status: null, latency: 30 };
const ERROR = { code: 408, error_type: 'timeout', message: 'too long' };

const CASES: readonly FoundFacts[] = [
  { generation: { provider_responses: [{ ...OK, latency: 412 }], latency: 412, generation_time: 900 } },
  { generation: { provider_responses: [{ ...FAILED, error: ERROR }, OK], session_id: 'one', origin: 'https://a.b/' } },
  { generation: { provider_responses: null, provider_name: null, finish_reason: 'error', cost_known: false } },
  {
    generation: {
      provider_responses: [{ ...OK, error: ERROR }],
      interrupted: true,
      user_agent: 'tool/1',
      external_user: 'bob',
    },
  },
  { userId: 'ada', generation: { provider_responses: [], tokens_prompt: 0, tokens_completion: 9, latency: 0 } },
].map((changes, at) => {
  const record = toRecord(`gen-${at}`, changes);
  return { facts: toGenerationFacts(record), attempts: toAttemptFacts(record.generation) };
});

test('facts are read as they were written, in any order of rows, and unknown rows have none', () => {
  const columns = createFactColumns();
  for (const [at, found] of [...CASES.entries()].toReversed()) columns.write(at * 40, found, at * 40 + 1);
  for (const [at, { facts, attempts }] of CASES.entries()) {
    expect(columns.read(at * 40, facts)).toEqual(facts);
    expect(columns.readAttempts(at * 40)).toEqual(attempts);
  }
  const [{ facts }] = CASES as [FoundFacts];
  for (const row of [7, 100_000]) {
    expect([columns.has(row), columns.read(row, facts), columns.readAttempts(row)]).toEqual([
      false,
      undefined,
      undefined,
    ]);
  }
});

test('a row that was forgotten has none, and takes others', () => {
  const [usual, fellBack] = CASES as [FoundFacts, FoundFacts];
  const columns = createFactColumns();
  columns.write(0, fellBack, 1);
  columns.forget(0);
  expect([columns.has(0), columns.read(0, fellBack.facts), columns.readAttempts(0)]).toEqual([
    false,
    undefined,
    undefined,
  ]);
  columns.write(0, usual, 1);
  expect(columns.read(0, usual.facts)).toEqual(usual.facts);
  expect(columns.readAttempts(0)).toEqual(usual.attempts);
});
