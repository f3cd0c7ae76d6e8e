import { expect, test } from 'vitest';

import { toolOf, toParts, toToolNames } from './message-parts.ts';

test('shows texts, tool calls and media apart', () => {
  const message = {
    role: 'user',
    content: [
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'image_url', image_url: { url: 'https://evil.example/track.png?id=1' } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
    ],
    tool_calls: [{ function: { name: 'look_up', arguments: '{}' } }],
  };
  expect(toParts(message)).toEqual({
    role: 'user',
    parts: [
      { type: 'text', text: 'Look' },
      { type: 'media', kind: 'image', origin: 'image/png', bytes: 19 },
      { type: 'media', kind: 'image', origin: 'evil.example', bytes: null },
      { type: 'media', kind: 'audio', origin: 'audio', bytes: 3 },
      { type: 'tool-call', name: 'look_up', text: '{}' },
    ],
  });
});

test.each([null, 7, 'text', [], { role: {} }, { content: [null, 3, { type: 'x' }] }, { tool_calls: [null, {}] }])(
  'makes something of %o',
  (message) => {
    expect(() => toParts(message)).not.toThrow();
  },
);

test('names the tool whose result a message is, by the id of its call', () => {
  const call = { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'read_file' } }, null, { id: 7 }] };
  const names = toToolNames([null, 'x', call]);
  expect([...names]).toEqual([['c1', 'read_file']]);
  expect(toolOf({ role: 'tool', tool_call_id: 'c1' }, names)).toBe('read_file');
  expect(toolOf({ role: 'user', tool_call_id: 'c1' }, names)).toBeUndefined();
  expect(toolOf({ role: 'tool', tool_call_id: 'c2' }, names)).toBeUndefined();
});
