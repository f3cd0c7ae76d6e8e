import { beforeAll, expect, test } from 'vitest';

import { toChatCurl, toCurl } from './to-curl.ts';

beforeAll(() => {
  // All that addresses need of a page.
  Object.assign(globalThis, { document: { baseURI: 'http://127.0.0.1:8855/ui/' } });
});

test('sends a stored prompt again, quoted for a shell', () => {
  const content = { input: { prompt: "It's" }, output: { completion: null, reasoning: null }, error: null };
  expect(toCurl({ model: 'demo/chat', streamed: true, content, request: null })).toBe(
    `curl -sSN http://127.0.0.1:8855/api/v1/chat/completions \\
  -H "authorization: Bearer $GATEWAY_API_KEY" \\
  -H 'content-type: application/json' \\
  -d '{"model":"demo/chat","messages":[{"role":"user","content":"It'\\''s"}],"stream":true}'
`,
  );
});

test('sends a stored request again, whole and in its form', () => {
  const content = { input: { prompt: 'Hi' }, output: { completion: null, reasoning: null }, error: null };
  const body = { model: 'a/b', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], stream: true };
  const text = toCurl({ model: 'x/y', streamed: false, content, request: { format: 'messages', body } });
  expect(text).toContain('curl -sSN http://127.0.0.1:8855/api/v1/messages ');
  expect(text).toContain(JSON.stringify(body));
});

test('hands a body that is too large for an argument to the standard input', () => {
  const text = toChatCurl({
    model: 'demo/chat',
    messages: [{ role: 'user', content: `It's\n${'x'.repeat(200_000)}` }],
  });
  expect(text).toContain('--data-binary @- <<\'JSON\'\n{"model"');
  expect(text.endsWith('}\nJSON\n')).toBe(true);
  expect(text.split('\n').filter((line) => line.startsWith('{'))).toHaveLength(1);
  expect(text).toContain("It's");
});

test('sends a stored request of Gemini’s form to the address of its model', () => {
  const content = { input: { prompt: 'Hi' }, output: { completion: null, reasoning: null }, error: null };
  const contents = [{ parts: [{ text: 'Hi' }] }];
  const toText = (stream: boolean) => {
    const body = { model: 'a/b:free', stream, contents };
    return toCurl({ model: 'x/y', streamed: stream, content, request: { format: 'gemini', body } });
  };
  const start = 'http://127.0.0.1:8855/v1beta/models/a/b%3Afree:';
  expect(toText(true)).toContain(`curl -sSN '${start}streamGenerateContent?alt=sse' `);
  expect(toText(false)).toContain(`curl -sS '${start}generateContent' `);
  expect(toText(false)).toContain(`-d '${JSON.stringify({ contents })}'`);
});
