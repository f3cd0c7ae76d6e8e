import { expect, test } from 'vitest';

import { readSignInLink, readSignInProblem, toSignInLink } from './sign-in-link.ts';

const TOKEN = 'c2lnbi1pbi10b2tlbg_0-9';

test.each(['http://127.0.0.1:8855/ui', 'https://gateway.example/ai/ui'])(
  'what is written for %s is read, and leaves the address of the UI',
  (uiUrl) => {
    const link = new URL(toSignInLink(uiUrl, TOKEN));
    expect(readSignInLink(link)).toEqual({ token: TOKEN, address: new URL(`${uiUrl}/`).pathname });
  },
);

test.each([
  ['a bare fragment', `/ui/#${TOKEN}`, '/ui/'],
  ['a query', `/ui/?token=${TOKEN}`, '/ui/'],
  ['a query before a screen', `/ui/?token=${TOKEN}#/models?q=a`, '/ui/#/models?q=a'],
])('the token is also taken from %s', (_name, path, address) => {
  expect(readSignInLink(new URL(path, 'http://gateway'))).toEqual({ token: TOKEN, address });
});

test('a link that lost its end is still one, so that it is no screen', () => {
  expect(readSignInLink(new URL('/ui/#token=', 'http://gateway'))).toEqual({ token: '', address: '/ui/' });
});

test.each(['/ui/', '/ui/#/', '/ui/#/models?q=token', '/ui/#/generations/gen-1', '/ui/#main', '/ui/?session=1'])(
  '%s is a screen',
  (path) => {
    expect(readSignInLink(new URL(path, 'http://gateway'))).toBeNull();
  },
);

test('what a provider of identity sent back is told from tokens and screens', () => {
  expect(readSignInProblem('#sign-in-error=groups')).toBe('groups');
  expect(readSignInLink(new URL('/ui/#sign-in-error=invalid_user', 'http://gateway'))).toBeNull();
  for (const hash of ['', '#/keys', '#token=abc', '#sign-in-error=<b>']) expect(readSignInProblem(hash)).toBeNull();
});
