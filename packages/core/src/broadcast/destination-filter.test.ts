import { expect, test } from 'vitest';

import { toContent, toRecord } from '../../../../test/support/stores/generation-records.ts';
import { createNodePlatform } from '../../../node/src/node-platform.ts';
import type { Destination } from '../wire/destinations.ts';
import { compileFilterRules } from './destination-filter.ts';
import { toBroadcastTrace } from './to-broadcast-trace.ts';

type Rules = NonNullable<Destination['filter_rules']>;
type Rule = Rules['groups'][number]['rules'][number];

const trace = await toBroadcastTrace(
  {
    record: toRecord('gen-1', {
      generation: {
        total_cost: 0.5,
        tokens_prompt: 12,
        tokens_completion: 8,
        external_user: 'User-1',
        session_id: null,
      },
    }),
    content: toContent('red'),
    apiKeyName: 'ci',
  },
  createNodePlatform(),
);
const matches = async (...groups: Rules['groups']): Promise<boolean> =>
  (await compileFilterRules({ enabled: true, groups }))(trace);
const all = (...rules: Rule[]): Rules['groups'][number] => ({ logic: 'and', rules });
const any = (...rules: Rule[]): Rules['groups'][number] => ({ logic: 'or', rules });

test.each<[Rule['field'], Rule['operator'], string | number | undefined, boolean]>([
  ['model', 'equals', 'ACME/chat-1', true],
  ['model', 'equals', 'acme/chat', false],
  ['model', 'not_equals', 'acme/chat', true],
  ['provider', 'contains', 'cm', true],
  ['provider', 'not_contains', 'cm', false],
  ['session_id', 'not_contains', 'x', true],
  ['session_id', 'exists', undefined, false],
  ['session_id', 'not_exists', undefined, true],
  ['session_id', 'equals', '', false],
  ['user_id', 'starts_with', 'user', true],
  ['user_id', 'ends_with', '-2', false],
  ['api_key_name', 'regex', '^c[ij]$', true],
  ['finish_reason', 'regex', 'length|error', false],
  ['input', 'contains', 'question: red', true],
  ['output', 'contains', 'answer: red', true],
  ['total_cost', 'gt', 0.4, true],
  ['total_cost', 'gte', '0.5', true],
  ['total_cost', 'lt', 0.5, false],
  ['total_tokens', 'equals', '20.0', true],
  ['prompt_tokens', 'lte', 12, true],
  ['completion_tokens', 'gt', 'many', false],
])('the rule "%s %s %s" holds: %s', async (field, operator, value, expected) => {
  expect(await matches(all({ field, operator, value }))).toBe(expected);
});

test('joins the rules of a group by its logic, and requires every group', async () => {
  const yes: Rule = { field: 'model', operator: 'exists' };
  const no: Rule = { field: 'session_id', operator: 'exists' };
  expect(await matches(all(yes, no))).toBe(false);
  expect(await matches(any(yes, no))).toBe(true);
  expect(await matches(any(yes, no), all(no))).toBe(false);
  expect(await matches(any(yes, no), all(yes))).toBe(true);
  expect(await Promise.all([matches(), matches(all()), matches(any())])).toEqual([true, true, true]);
  expect((await compileFilterRules({ enabled: false, groups: [all(no)] }))(trace)).toBe(true);
});

test('149: refuses a pattern that no linear engine can run, and says which', async () => {
  await expect(matches(all(), any({ field: 'input', operator: 'regex', value: '(a)\\1' }))).rejects.toThrow(
    'filter_rules.groups.1.rules.0.value: is not a usable regular expression',
  );
});

test('149: a pattern that is a trap elsewhere takes no time', async () => {
  const rules = await compileFilterRules({
    enabled: true,
    groups: [all({ field: 'input', operator: 'regex', value: '(a+)+$' })],
  });
  const record = toRecord('gen-2');
  const long = await toBroadcastTrace(
    { record, content: toContent(`${'a'.repeat(100_000)}!`), apiKeyName: null },
    createNodePlatform(),
  );
  expect(rules(long)).toBe(false);
});
