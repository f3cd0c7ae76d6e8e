import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';

import { MarkedCode } from './marked-code.tsx';

const mark = (language: string, text: string): string =>
  renderToStaticMarkup(createElement(MarkedCode, { text, language }));

test('colors names, texts and numbers of JSON as its tree does', () => {
  expect(mark('json', '{"a": "b", "c": 1}')).toBe(
    '{<span class="text-accent">&quot;a&quot;</span>: <span class="text-good">&quot;b&quot;</span>, ' +
      '<span class="text-accent">&quot;c&quot;</span>: <span class="text-caution">1</span>}',
  );
});

test.each([
  'ts',
  'python',
  'sh',
  'console',
  'powershell',
  'yml',
  'toml',
  'html',
  'sql',
  'rs',
  'golang',
  'java',
  'css',
  'diff',
])('knows %s by the name that Markdown has for it', (language) => {
  expect(mark(language, '+ "x" # <b a="c"> // y { color: red } SELECT 1 -- z')).toContain('<span class="text-');
});

test('shows code of another language as it is', () => {
  expect(mark('brainfuck', '++[>]')).toBe('++[&gt;]');
});

test('keeps every character of what it marks, and makes no elements of it', () => {
  const text = 'const a = `<b>${c}</b>`; // <script>alert(1)</script> & more\n';
  const shown = mark('ts', text);
  expect(shown.replaceAll(/<[^>]*>/g, '')).toBe(
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  );
});
