import { expect, test } from 'vitest';

import { EMPTY_DRAFT, toDraft, toRequestBody } from './draft.ts';

const asked = { ...EMPTY_DRAFT, messages: [{ role: 'user' as const, content: 'Hi' }] };

test('sends what is set and nothing else', () => {
  expect(toRequestBody(asked)).toEqual({
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
    user: 'playground',
  });
  expect(
    toRequestBody({ ...asked, system: 'Be brief', temperature: '0', maxTokens: '5', more: '{"top_p":0.5}' }),
  ).toEqual({
    messages: [
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'Hi' },
    ],
    stream: true,
    user: 'playground',
    temperature: 0,
    max_tokens: 5,
    top_p: 0.5,
  });
});

test('sends what is attached with the last message of the user', () => {
  const attached = [{ name: 'a.png', kind: 'image' as const, url: 'data:image/png;base64,AAAA', bytes: 3 }];
  const messages = [
    { role: 'user' as const, content: 'One' },
    { role: 'user' as const, content: 'Two' },
    { role: 'assistant' as const, content: 'Three' },
  ];
  expect(toRequestBody({ ...EMPTY_DRAFT, messages, attached })).toMatchObject({
    messages: [
      { content: 'One' },
      {
        content: [
          { type: 'text', text: 'Two' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
      { content: 'Three' },
    ],
  });
  expect(toRequestBody({ ...EMPTY_DRAFT, messages: messages.slice(2), attached })).toContain(
    'What is attached goes with',
  );
});

test.each([
  [EMPTY_DRAFT, 'There is no message yet'],
  [{ ...asked, more: '{' }, 'The further fields are not JSON'],
  [{ ...asked, more: '[]' }, 'The further fields have to be an object, as in {"top_p": 0.9}'],
])('says why it cannot be sent', (draft, problem) => {
  expect(toRequestBody(draft)).toBe(problem);
});

test('takes over what the last message of the user carried', () => {
  const attached = [{ name: 'a.pdf', kind: 'file' as const, url: 'data:application/pdf;base64,AAAA', bytes: 3 }];
  const sent = toRequestBody({ ...asked, attached }) as { messages: unknown[] };
  const draft = toDraft([...sent.messages, { role: 'assistant', content: 'Done' }]);
  expect(draft).toMatchObject({ attached, messages: [{ content: 'Hi' }, { content: 'Done' }] });
  expect(toDraft([...sent.messages, { role: 'user', content: 'And now?' }]).attached).toEqual([]);
});

test('takes over the text of stored messages', () => {
  const draft = toDraft([
    { role: 'system', content: 'A' },
    { role: 'user', content: [{ type: 'text', text: 'B' }, { type: 'image_url', image_url: { url: 'x' } }, null] },
    { role: 'tool', content: 'left out' },
    { role: 'assistant', content: null },
    null,
  ]);
  expect([draft.system, draft.messages]).toEqual([
    'A',
    [
      { role: 'user', content: 'B' },
      { role: 'assistant', content: '' },
    ],
  ]);
});
