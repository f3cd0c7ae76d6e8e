import { expect, test } from 'vitest';

import { withListedNames } from './routing-fields.tsx';

test('shows every name that a list has, also one that is no slug of a configured provider', () => {
  const providers = [{ slug: 'my-openai', name: 'OpenAI' }];
  const saved = { providers: { only: ['my-openai', 'OpenAI'], ignore: ['gone'] } };
  const draft = { providers: { only: ['my-openai'], ignore: ['gone', 'groq'] } };
  expect(withListedNames(providers, [saved, draft])).toEqual([
    ...providers,
    { slug: 'OpenAI', name: 'OpenAI' },
    { slug: 'gone', name: 'gone' },
    { slug: 'groq', name: 'groq' },
  ]);
});
