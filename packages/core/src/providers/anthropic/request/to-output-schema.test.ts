import { expect, test } from 'vitest';

import { toOutputSchema } from './to-anthropic-request.ts';

test('closes every object, wherever it stands', () => {
  expect(
    toOutputSchema({
      type: 'object',
      properties: {
        a: { type: ['object', 'null'], properties: {} },
        list: { type: 'array', items: { properties: { b: { type: 'string' } } }, minItems: 1 },
        either: { anyOf: [{ type: 'object' }, { type: 'null' }] },
      },
      required: ['a'],
      $defs: { c: { type: 'object', additionalProperties: true } },
    }),
  ).toEqual({
    type: 'object',
    properties: {
      a: { type: ['object', 'null'], properties: {}, additionalProperties: false },
      list: {
        type: 'array',
        items: { properties: { b: { type: 'string' } }, additionalProperties: false },
        minItems: 1,
      },
      either: { anyOf: [{ type: 'object', additionalProperties: false }, { type: 'null' }] },
    },
    required: ['a'],
    $defs: { c: { type: 'object', additionalProperties: false } },
    additionalProperties: false,
  });
});

test('moves constraints that the wire refuses into the description', () => {
  expect(toOutputSchema({ type: 'integer', description: 'Age', minimum: 0, maximum: 150 })).toEqual({
    type: 'integer',
    description: 'Age\n\n{minimum: 0, maximum: 150}',
  });
  expect(toOutputSchema({ type: 'array', items: { type: 'string', maxLength: 3 }, minItems: 2 })).toEqual({
    type: 'array',
    items: { type: 'string', description: '{maxLength: 3}' },
    description: '{minItems: 2}',
  });
});

test('takes neither names of properties nor data for constraints', () => {
  const schema = {
    type: 'object',
    properties: { minimum: { type: 'number' }, properties: { type: 'string', enum: ['x'] } },
    additionalProperties: false,
    default: { maxLength: 1, type: 'object' },
  };
  expect(toOutputSchema(schema)).toEqual(schema);
});
