import { expect, test } from 'vitest';

import { toSafeLink } from './outside-link.tsx';

test.each([
  'javascript:alert(1)',
  ' JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  'http://plain.example',
  '//evil.example',
  '/api/v1/keys',
  '#/settings',
  'https://bank.example@evil.example/',
  'https://user:pass@evil.example/',
  'https://',
  'blob:https://evil.example/1',
  '',
  null,
  {},
])('offers no link for %j', (href) => {
  expect(toSafeLink(href)).toBeNull();
});

test('offers https, and shows a foreign name as it really is', () => {
  expect(toSafeLink('https://example.com/a?b#c')?.href).toBe('https://example.com/a?b#c');
  expect(toSafeLink('https://аpple.com')?.hostname).toBe('xn--pple-43d.com');
});
