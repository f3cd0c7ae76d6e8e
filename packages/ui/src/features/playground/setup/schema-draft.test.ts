import { expect, test } from 'vitest';

import {
  EMPTY_ROW,
  EMPTY_SCHEMA,
  findSchemaProblems,
  fromRows,
  fromText,
  type SchemaRow,
  toRows,
} from './schema-draft.ts';

const ROWS: readonly SchemaRow[] = [
  { name: 'city', type: 'string', isRequired: true, description: 'Where', choices: 'Lisbon, Porto' },
  { name: 'days', type: 'integer', isRequired: false, description: '', choices: '1, 3' },
  { name: 'tags', type: 'string[]', isRequired: false, description: '', choices: '' },
  { name: 'isWarm', type: 'boolean', isRequired: true, description: '', choices: '' },
];

test('rows and text say the same, either way', () => {
  const draft = fromRows(ROWS);
  expect(JSON.parse(draft.text)).toEqual({
    type: 'object',
    properties: {
      city: { type: 'string', description: 'Where', enum: ['Lisbon', 'Porto'] },
      days: { type: 'integer', enum: [1, 3] },
      tags: { type: 'array', items: { type: 'string' } },
      isWarm: { type: 'boolean' },
    },
    required: ['city', 'isWarm'],
    additionalProperties: false,
  });
  expect(toRows(JSON.parse(draft.text))).toEqual(ROWS);
  expect(fromText(draft.text, EMPTY_SCHEMA)).toEqual(draft);
});

test('a text that rows cannot say has none, and one that is no JSON keeps those before', () => {
  const nested = '{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}';
  expect(fromText(nested, EMPTY_SCHEMA)).toEqual({ rows: null, text: nested });
  expect(fromText('{"type":"array"}', EMPTY_SCHEMA).rows).toBeNull();
  expect(
    fromText('{"type":"object","properties":{"a":{"type":"string","minLength":3}}}', EMPTY_SCHEMA).rows,
  ).toBeNull();
  expect(fromText('{"type":', fromRows(ROWS))).toEqual({ rows: ROWS, text: '{"type":' });
  expect(fromText('{"type":"object"}', EMPTY_SCHEMA).rows).toEqual([]);
});

test('says at which field something is wrong', () => {
  const rows: SchemaRow[] = [
    { ...EMPTY_ROW, name: 'a' },
    { ...EMPTY_ROW, name: 'a' },
    EMPTY_ROW,
    { ...EMPTY_ROW, name: 'n', type: 'number', choices: '1, two' },
  ];
  expect(findSchemaProblems(fromRows(rows), 'tools.0.schema')).toEqual({
    'tools.0.schema.rows.1.name': 'already exists',
    'tools.0.schema.rows.2.name': 'needs a name',
    'tools.0.schema.rows.3.choices': 'must be numbers',
  });
  expect(Object.keys(findSchemaProblems({ rows: [], text: '{' }, 'x'))).toEqual(['x.text']);
  expect(Object.keys(findSchemaProblems({ rows: null, text: '[]' }, 'x'))).toEqual(['x.text']);
  expect(findSchemaProblems(fromRows(ROWS), 'x')).toEqual({});
});
