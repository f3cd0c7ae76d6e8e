import { expect, test } from 'vitest';

import type { ChatDelta } from '../../wire/chat-chunk.ts';
import { createSegmentWriter } from './write-segments.ts';

/** What a sink is told of these deltas, in order. */
function tell(deltas: readonly ChatDelta[]): string[] {
  const told: string[] = [];
  const writer = createSegmentWriter({
    startReasoning: () => told.push('reasoning'),
    reasoning: ({ text }) => told.push(`think ${String(text)}`),
    endReasoning: () => told.push('end'),
    startText: (kind) => told.push(kind),
    text: (text) => told.push(`say ${text}`),
    endText: () => told.push('end'),
    startCall: (id, name) => told.push(`call ${id} ${name}`),
    arguments: (text) => told.push(text),
    endCall: () => told.push('end'),
  });
  for (const delta of deltas) writer.write(delta);
  writer.end();
  return told;
}

const begin = (index: number, args = ''): ChatDelta => ({
  tool_calls: [{ index, id: `c${index}`, type: 'function', function: { name: `t${index}`, arguments: args } }],
});
const more = (index: number, args: string): ChatDelta => ({ tool_calls: [{ index, function: { arguments: args } }] });

test('a text between the pieces of a call waits until its arguments have ended', () => {
  expect(tell([begin(0, '{"a'), { content: '\n' }, more(0, '":1}'), { content: 'done' }])).toEqual([
    'call c0 t0',
    '{"a',
    '":1}',
    'end',
    'text',
    'say \ndone',
    'end',
  ]);
});

test('reasoning between the pieces of a call waits until its arguments have ended', () => {
  expect(tell([begin(0, '{'), { reasoning: 'hm' }, { reasoning: '!' }, more(0, '}')])).toEqual([
    'call c0 t0',
    '{',
    '}',
    'end',
    'reasoning',
    'think hm',
    'think !',
    'end',
  ]);
});

test('a text after a call that has ended comes at once', () => {
  expect(tell([begin(0, '{}'), { content: 'a' }, begin(1, '{}'), { content: 'b' }])).toEqual(
    ['call c0 t0,{},end', 'text,say a,end', 'call c1 t1,{},end', 'text,say b,end'].flatMap((part) => part.split(',')),
  );
});

test('calls that come interleaved keep their order', () => {
  expect(tell([begin(0, '{'), begin(1, '{'), more(0, '}'), begin(2, '{}'), more(1, '}')])).toEqual(
    ['call c0 t0,{,},end', 'call c1 t1,{},end', 'call c2 t2,{},end'].flatMap((part) => part.split(',')),
  );
});
