import { expect, test } from 'vitest';

import { decodeBase64Text, parseDataUrl } from './data-url.ts';

test.each([
  ['data:image/png;base64,AAAA', 'image/png', 'AAAA'],
  ['DATA:Image/PNG;Base64,AAAA', 'image/png', 'AAAA'],
  ['data:text/plain;charset=utf-8;base64,QQ==', 'text/plain', 'QQ=='],
  ['data:;base64,QQ==', 'text/plain', 'QQ=='],
  ['data:,A%2CB', 'text/plain', 'QSxC'],
  ['data:text/html,%C5%BC', 'text/html', 'xbw='],
])('reads %s', (url, mediaType, base64) => {
  expect(parseDataUrl(url)).toEqual({ mediaType, base64 });
});

test.each(['https://x.example/a.png', 'data:image/png;base64', 'data:image/png;base64,', 'data:,%E0%A4%A', ''])(
  'finds nothing in "%s"',
  (url) => {
    expect(parseDataUrl(url)).toBeUndefined();
  },
);

test('decodes text that is not ASCII, and nothing that is not base64', () => {
  expect(decodeBase64Text('xbzDs8WCdw==')).toBe('żółw');
  expect(decodeBase64Text('%%%')).toBeUndefined();
});
