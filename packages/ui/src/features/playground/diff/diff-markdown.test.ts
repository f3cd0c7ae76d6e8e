import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';

import { diffMarkdown } from './diff-markdown.tsx';

const MARKS = { added: 'a', removed: 'r' };
const show = (before: string, after: string): string | null => {
  const diff = diffMarkdown(before, after, MARKS);
  return diff && renderToStaticMarkup(diff.shown);
};

test('marks words in the text as it reads', () => {
  expect(show('The sky is **blue** today.', 'The sky is *grey* today.')).toBe(
    '<p>The sky is <del class="r">blue</del><em><ins class="a">grey</ins></em> today.</p>',
  );
});

test('keeps lists and tables whole, and puts what is gone into the next text', () => {
  expect(show('- one\n- two\n- three', '- one\n- three')).toBe(
    '<ul>\n<li>one</li>\n<li><del class="r">two </del>three</li>\n</ul>',
  );
  expect(show('a\n\nb', 'a')).toBe('<p>a<del class="r"> b</del></p>');
  const table = show('| a | b |\n| - | - |\n| 1 | 2 |', '| a | b |\n| - | - |\n| 1 | 3 |\n| 4 | 5 |');
  expect(table).toMatch(/<td><del class="r">2<\/del><ins class="a">3<\/ins><\/td>/);
  expect(table).toMatch(/<td><ins class="a">5<\/ins><\/td>/);
});

test('says that nothing differs where only the marks of Markdown do', () => {
  expect(diffMarkdown('**Yes**, so.', 'Yes, so.', MARKS)?.isSame).toBe(true);
  expect(diffMarkdown('Yes, so.', 'Yes, no.', MARKS)?.isSame).toBe(false);
});

test('marks nothing that could run', () => {
  const shown = show('Hello', 'Hello <img src=x onerror=alert(1)> [x](javascript:alert(1))') ?? '';
  expect(shown).not.toMatch(/<img|<a /);
  expect(shown).toContain('&lt;img');
});
