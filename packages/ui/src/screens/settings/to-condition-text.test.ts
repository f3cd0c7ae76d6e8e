import { expect, test } from 'vitest';

import { toConditionText } from './rule-list.tsx';

test('a rule says in a line when it holds', () => {
  expect(toConditionText({})).toBe('every request');
  expect(toConditionText({ background: true, has_images: false, min_tools: 1, except_keys: ['a', 'b'] })).toBe(
    'a background task, not images, at least 1 tool, not with the key a or b',
  );
});
