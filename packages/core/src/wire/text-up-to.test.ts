import { expect, test } from 'vitest';
import { z } from 'zod';

import { textUpTo } from './text-up-to.ts';

const accepts = (text: string): boolean => textUpTo(4).safeParse(text).success;

test.each(['', 'abcd', '😀😀😀😀', 'a😀b😀', '你好世界', '\ud800\ud800\ud800\ud800'])(
  'takes %j for four characters or fewer',
  (text) => {
    expect(accepts(text)).toBe(true);
  },
);

test.each(['abcde', '😀😀😀😀😀', '😀😀😀ab', 'abcdefghi'])('takes %j for more than four characters', (text) => {
  expect(accepts(text)).toBe(false);
});

test('states the limit in the JSON schema, whatever else is asked of the text', () => {
  for (const schema of [textUpTo(4), textUpTo(4).min(1), textUpTo(4, { of: z.string().trim() })]) {
    expect(z.toJSONSchema(schema)).toMatchObject({ type: 'string', maxLength: 4 });
  }
});
