import { expect, test } from 'vitest';

import { EMPTY_SETUP, EMPTY_TOOL, findProblems } from './setup.ts';

test('says at which field of the set-up something is wrong', () => {
  expect(findProblems(EMPTY_SETUP)).toEqual({});
  const tool = { ...EMPTY_TOOL, name: 'look' };
  expect(
    findProblems({
      ...EMPTY_SETUP,
      temperature: '2.1',
      topP: 'x',
      maxTokens: '0',
      seed: '1.5',
      more: '[]',
      tools: [tool, tool, { ...EMPTY_TOOL, name: 'look up' }],
      format: { ...EMPTY_SETUP.format, type: 'json_schema', name: '' },
    }),
  ).toEqual({
    temperature: 'must be a number from 0 to 2',
    topP: 'must be a number from 0 to 1',
    maxTokens: 'must be a whole number, at least 1',
    seed: 'must be a whole number',
    more: 'must be an object, e.g. {"stop": ["END"]}',
    'tools.1.name': 'is already the name of another tool',
    'tools.2.name': 'must be 1 to 64 letters, digits, _ or -',
    'format.name': 'must be 1 to 64 letters, digits, _ or -',
  });
  expect(findProblems({ ...EMPTY_SETUP, temperature: ' 0.5 ', more: ' ' })).toEqual({});
});
