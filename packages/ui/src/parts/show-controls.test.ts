import { expect, test } from 'vitest';

import { showControls } from './show-controls.ts';

test.each([
  ['invoice\u202Efdp.exe', 'invoice‹U+202E›fdp.exe'],
  ['a\u200Bb', 'a‹U+200B›b'],
  ['\u001B[31mred', '‹U+001B›[31mred'],
  ['\u2066x\u2069', '‹U+2066›x‹U+2069›'],
  ['\uFEFFx', '‹U+FEFF›x'],
])('shows what hides in %j', (text, shown) => {
  expect(showControls(text)).toBe(shown);
});

test.each(['two\nlines\tand a tab\r\n', 'שלום عربي', '👩‍💻 👨‍👩‍👧', 'naïve – “quotes”'])('leaves %j alone', (text) => {
  expect(showControls(text)).toBe(text);
});
