import { expect, test } from 'vitest';

import { readAuthRequest, toCallbackAddress } from './auth-request.ts';

const challenge = { code_challenge: 'x' };

test('shows the host of an app as browsers would resolve it', () => {
  const hostOf = (address: string) => readAuthRequest({ ...challenge, callback_url: address })?.callback?.host;
  expect(hostOf('https://app.example/cb?x=1')).toBe('app.example');
  expect(hostOf('https://аpple.com/')).toBe('xn--pple-43d.com');
  expect(hostOf('https://trusted.example@evil.example/')).toBe('evil.example');
  expect(hostOf('http://localhost:4000/')).toBe('localhost:4000');
});

test.each(['http://app.example/', 'javascript:alert(1)', 'http://localhost.evil.example/', 'data:text/html,x', 'x'])(
  'asks nothing for %s',
  (address) => expect(readAuthRequest({ ...challenge, callback_url: address })).toBeNull(),
);

test('asks nothing without a callback and a challenge', () => {
  expect(readAuthRequest({})).toBeNull();
  expect(readAuthRequest(challenge)).toMatchObject({ callback: null, hasChallenge: true });
});

test('adds the code to what the callback has', () => {
  expect(toCallbackAddress('https://app.example/cb?state=1&code=old', 'new')).toBe(
    'https://app.example/cb?state=1&code=new',
  );
});
