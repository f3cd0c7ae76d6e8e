import { expect, test } from 'vitest';

import { toFinishedBlocks } from './to-finished-blocks.ts';

const TEXT = `# Title

First paragraph
goes on.

1. one

   with more
2. two

10. ten

After the list.

\`\`\`js
const a = 1;

- no list
\`\`\`

> quoted

| a | b |
| - | - |
| 1 | 2 |

The end`;

test('cuts between blocks, not within lists and fenced code', () => {
  const { finished, rest } = toFinishedBlocks(TEXT);
  expect(finished.map((block) => block.trimEnd().split('\n').at(0))).toEqual([
    '# Title',
    'First paragraph',
    '1. one',
    'After the list.',
    '```js',
    '> quoted',
    '| a | b |',
  ]);
  expect(finished[2]).toContain('10. ten');
  expect(finished[4]).toContain('- no list');
  expect(rest).toBe('The end');
});

test('keeps all of a text, and blocks that are finished stay as they were when more comes', () => {
  let before: readonly string[] = [];
  for (let length = 0; length <= TEXT.length; length += 1) {
    const { finished, rest } = toFinishedBlocks(TEXT.slice(0, length));
    expect(finished.join('') + rest).toBe(TEXT.slice(0, length));
    expect(finished.slice(0, before.length)).toEqual(before);
    before = finished;
  }
});

test.each([
  ['a fence that has not ended', '```\na\n\nb', 0],
  ['what may become another item', '- a\n\n1', 0],
  ['what goes on within an item', '- a\n\n  b', 0],
  ['a paragraph after a list', '- a\n\nb', 1],
  ['a list after a paragraph', 'a\n\n- b', 1],
])('waits with %s', (_, text, count) => {
  expect(toFinishedBlocks(text).finished).toHaveLength(count);
});
