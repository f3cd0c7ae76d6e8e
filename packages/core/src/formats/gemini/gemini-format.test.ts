import { expect, test } from 'vitest';

import { geminiFormat } from './gemini-format.ts';

test.each([
  ['audio/mpeg', 'mp3'],
  ['audio/x-wav', 'wav'],
  ['audio/flac', 'flac'],
  ['audio/constructor', 'constructor'],
])('sound of the type %s has the format %s in a chat', (mimeType, format) => {
  const parts = [{ inlineData: { mimeType, data: 'AAAA' } }];
  const { request } = geminiFormat.parse(
    { model: 'test/model', stream: false, contents: [{ role: 'user', parts }] },
    {},
  );
  expect(request.messages).toEqual([
    { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format } }] },
  ]);
});

test('a thinking budget of 0 is left unsaid, because models that always reason refuse to go without', () => {
  const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
  const generationConfig = { thinkingConfig: { thinkingBudget: 0 } };
  const { request } = geminiFormat.parse({ model: 'test/model', stream: false, contents, generationConfig }, {});
  expect(request.reasoning).toEqual({ exclude: true });
});
