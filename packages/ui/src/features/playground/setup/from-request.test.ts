import { expect, test } from 'vitest';

import { toRequestFields } from '../../../screens/playground/experiment/to-request.ts';
import { fromRequest } from './from-request.ts';
import { findProblems } from './setup.ts';

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const ODD = { type: 'object', properties: { any: { oneOf: [{ type: 'string' }, { type: 'null' }] } } };
const toTool = (parameters: object, more: object = {}) => ({
  type: 'function',
  function: { name: 'find', description: 'Finds it', parameters, ...more },
});

test.each([
  ['numbers', { temperature: 0, top_p: 0.5, max_tokens: 9, seed: 7 }],
  ['the effort of reasoning', { reasoning: { effort: 'low' } }],
  ['more about reasoning than the form has', { reasoning: { effort: 'low', exclude: true } }],
  ['preferences', { provider: { sort: 'price', only: ['a', 'b'], allow_fallbacks: false } }],
  ['preferences that the form does not have', { provider: { sort: 'price', order: ['a'] } }],
  ['tools', { tools: [toTool(SCHEMA), toTool(ODD, { name: 'seek' })] }],
  ['tools that the form does not have', { tools: [toTool(SCHEMA, { strict: true }), { type: 'web_search' }] }],
  ['a format', { response_format: { type: 'json_schema', json_schema: { name: 'r', strict: true, schema: SCHEMA } } }],
  ['JSON', { response_format: { type: 'json_object' } }],
  ['a format that the form does not have', { response_format: { type: 'grammar', grammar: 'x' } }],
  [
    'fields without a place of their own',
    { logit_bias: { 5: 1 }, plugins: [{ id: 'web' }], top_k: 4, tool_choice: 'auto' },
  ],
])('sets up %s so that it is asked again', (_what, fields) => {
  const body = { model: 'a/b', messages: [{ role: 'user', content: 'Hi' }], user: 'u', stream: false, ...fields };
  const setup = { system: '', ...fromRequest(body) };
  expect(findProblems(setup)).toEqual({});
  expect(toRequestFields(setup)).toEqual(fields);
  expect(setup.isStreamed).toBe(true);
});

test('reads both names of the limit, and takes null for nothing', () => {
  expect(toRequestFields({ system: '', ...fromRequest({ max_completion_tokens: 5, temperature: null }) })).toEqual({
    max_tokens: 5,
  });
});

test.each([null, 'x', []])('sets up nothing of %j', (body) => {
  expect(toRequestFields({ system: '', ...fromRequest(body) })).toEqual({});
});
