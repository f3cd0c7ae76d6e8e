import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';

import { Markdown } from './markdown.tsx';

const render = (text: string): string => renderToStaticMarkup(createElement(Markdown, { text }));

const PAYLOADS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="data:text/html,x"></object>',
  '<embed src="//evil.example">',
  '<link rel=stylesheet href=//evil.example>',
  '<style>@import "//evil.example"</style>',
  '<base href="//evil.example">',
  '<meta http-equiv=refresh content="0;url=//evil.example">',
  '<form action="//evil.example"><button>x</button></form>',
  '<input autofocus onfocus=alert(1)>',
  '<details open ontoggle=alert(1)>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '<video src="//evil.example" autoplay></video>',
  '<div style="background:url(//evil.example)">x</div>',
  '<body onload=alert(1)>',
  '<template><script>alert(1)</script></template>',
  '<!--><script>alert(1)</script>-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '[x](javascript:alert(1))',
  '[x](JAVASCRIPT&#58;alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](vbscript:x)',
  '[x](//evil.example)',
  '[x](http://evil.example)',
  '[x](https://a@evil.example)',
  '[x][r]\n\n[r]: javascript:alert(1)',
  '<javascript:alert(1)>',
  '![x](https://evil.example/track.png)',
  '![x](javascript:alert(1))',
  '![x](data:image/svg+xml,<svg onload=alert(1)>)',
  '![x][r]\n\n[r]: https://evil.example/track.png "t"',
  'https://evil.example/"onmouseover="alert(1)',
  '[x](https://evil.example/ "onclick=alert(1)")',
  '`<script>alert(1)</script>`',
  '```html\n<script>alert(1)</script>\n```',
  '[^1]\n\n[^1]: <script>alert(1)</script>',
  '- [x] <img src=x onerror=alert(1)>',
  '| a |\n| - |\n| <img src=x onerror=alert(1)> |',
];

const WRAPPERS: readonly ((payload: string) => string)[] = [
  (payload) => payload,
  (payload) => `text ${payload} text`,
  (payload) => `> ${payload}`,
  (payload) => `* item\n\n  ${payload}`,
  (payload) => `**${payload}**`,
  (payload) => `# ${payload}`,
  (payload) => `<div>\n\n${payload}\n\n</div>`,
];

test.each(PAYLOADS.flatMap((payload) => WRAPPERS.map((wrap) => wrap(payload))))(
  'runs, loads and links nothing: %j',
  (text) => {
    // Tags from the text are escaped; all remaining tags are elements. Icons belong to the page itself.
    const html = render(text).replace(/<svg[^>]*class="lucide[^]*?<\/svg>/g, '');
    expect(html).not.toMatch(
      /<(script|img|iframe|svg|object|embed|link|style|base|meta|form|input|video|audio|math|template|a)\b/i,
    );
    expect(html).not.toMatch(/<[^>]+\s(on\w+|style|src|href|srcdoc|action|id|name)=/i);
  },
);

test('shows text, lists, tables and code', () => {
  const html = render('**bold**\n\n- one\n\n| a |\n| - |\n| b |\n\n```js\nlet x\n```');
  for (const part of ['<strong>bold</strong>', '<li>one</li>', '<td>b</td>', 'let x']) expect(html).toContain(part);
});

test('offers a link as a button, which asks before it leads anywhere', () => {
  expect(render('[docs](https://example.com)')).toMatch(/<button[^>]*>docs/);
});

test('puts headings below those of the page', () => {
  expect(render('# One\n\n## Two')).toMatch(/<h3>One<\/h3>\s*<h4>Two<\/h4>/);
});

test('shows markup as text', () => {
  expect(render('a <b onclick=x>bold</b>\n\n<script>\nx</script>')).toContain('&lt;script&gt;');
});

test('shows what would hold the page up as it was written', () => {
  expect(render('- '.repeat(10_000))).not.toContain('<li>');
});

test('shows very long texts as they are', () => {
  expect(render(`**${'x'.repeat(50_001)}**`)).not.toContain('<strong>');
});
