import { expect, test } from 'vitest';

import { readFixtureFolder } from './fixture-folder.ts';

const toFile = (path: string, text: string) => ({ webkitRelativePath: path, text: () => Promise.resolve(text) });

test('reads the cases of a folder with their first responses, and leaves out what is none', async () => {
  const files = [
    toFile('cases/_edge/chat-completions/one/request.json', '{"model":"a"}'),
    toFile('cases/_edge/chat-completions/one/response.sse', 'data: [DONE]'),
    toFile('cases/_edge/chat-completions/one/response.json', '{"choices":[]}'),
    toFile('cases/_edge/messages/two/request.json', '{"model":"b"}'),
    toFile('cases/_edge/messages/two/response.1.sse', 'event: ping'),
    toFile('cases/_edge/messages/broken/request.json', '{'),
    toFile('cases/_edge/rules.json', '{}'),
    toFile('cases/README.txt', 'Read me'),
  ];
  expect(await readFixtureFolder(files)).toEqual([
    { path: '_edge/chat-completions/one', request: { model: 'a' }, response: '{"choices":[]}' },
    { path: '_edge/messages/two', request: { model: 'b' }, response: 'event: ping' },
  ]);
});
