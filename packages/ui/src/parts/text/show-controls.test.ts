import { expect, test } from 'vitest';

import { showControls } from './show-controls.ts';

test.each([
  ['invoice\u202Efdp.exe', 'invoice‹U+202E›fdp.exe'],
  ['a\u200Bb', 'a‹U+200B›b'],
  ['\u001B[31mred', '‹U+001B›[31mred'],
  ['\u2066x\u2069', '‹U+2066›x‹U+2069›'],
  ['\uFEFFx', '‹U+FEFF›x'],
  ['soft\u00ADhyphen', 'soft‹U+00AD›hyphen'],
  ['line\u2028end', 'line‹U+2028›end'],
  ['\u{E0069}\u{E0067}', '‹U+E0069›‹U+E0067›'],
  ['x\uFE0F\uFE01\u{E0100}', 'x‹U+FE0F›‹U+FE01›‹U+E0100›'],
  ['\u3164 \uFFA0', '‹U+3164› ‹U+FFA0›'],
  ['\uFFF9a\uFFFB', '‹U+FFF9›a‹U+FFFB›'],
  ['half \uD83D of \uDE00', 'half ‹U+D83D› of ‹U+DE00›'],
])('shows what hides in %j', (text, shown) => {
  expect(showControls(text)).toBe(shown);
});

test.each(['two\nlines\tand a tab\r\n', 'שלום عربي', '👩‍💻 👨‍👩‍👧 👩🏽‍💻', '1️⃣ ❤️‍🔥 🏳️‍🌈 🤷‍♀️', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇵🇹', 'naïve – “quotes”'])(
  'leaves %j alone',
  (text) => {
    expect(showControls(text)).toBe(text);
  },
);
