import { expect, test } from 'vitest';

import { isCostlyMarkdown } from './plain-text.tsx';

test.each([
  ['quotes within quotes', `${'>'.repeat(10_000)} x`],
  ['quotes with spaces between', `first\n\n   ${'> '.repeat(60)}x`],
  ['lists within lists', '- '.repeat(60)],
  ['numbers within numbers', '1. '.repeat(60)],
  ['lists within quotes', '> - '.repeat(30)],
  ['emphases within emphases', '*a '.repeat(2000)],
  ['emphases in every paragraph', `${'_a '.repeat(120)}\n\n`.repeat(100)],
  ['deletions within deletions', '~~a '.repeat(2000)],
  ['brackets that open', '['.repeat(2000)],
  ['links within links', '[a]('.repeat(2000)],
  ['images within images', `${'!['.repeat(1000)}${'](https://example.com)'.repeat(1000)}`],
  ['footnotes without number', '[^a]\n\n'.repeat(1100)],
  ['a table as large as a sheet', '|a|b|c|d|e|f|g|h|\n'.repeat(1000)],
  ['lines without number', '- x\n'.repeat(5001)],
])('refuses %s', (_what, text) => {
  expect(isCostlyMarkdown(text)).toBe(true);
});

test.each([
  ['', ''],
  ['a quote within a quote', '> > > said\n> > heard\n'],
  ['nested lists', '- a\n  - b\n    - c\n      1. d\n'.repeat(100)],
  ['a line between parts', '-'.repeat(200)],
  ['many bold words', 'A **bold** word and a [link](https://example.com). '.repeat(20).concat('\n\n').repeat(20)],
  ['names with underscores', '"snake_case_name": "other_name_here",\n'.repeat(1000)],
  ['a table of figures', '| a | b | c |\n'.repeat(200)],
])('reads %s', (_what, text) => {
  expect(isCostlyMarkdown(text)).toBe(false);
});
