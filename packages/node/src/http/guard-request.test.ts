import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import { expect, test } from 'vitest';

import { createPublicView, createRepeatedHeaderFinder, SINGLE_HEADERS } from './guard-request.ts';

const OTHERS = ['Accept', '*/*', 'X-Host', 'x', 'User-Agent', 'test'];

/** `Cookie` is as long as `Origin`. */
const LISTS = { 'the list': SINGLE_HEADERS, 'the list with Cookie': [...SINGLE_HEADERS, 'Cookie'] };
const CASES = Object.entries(LISTS).flatMap(([list, titles]) => titles.map((title) => ({ list, titles, title })));

test.each(CASES)('finds a second $title in $list, however it is written', ({ titles, title }) => {
  const find = createRepeatedHeaderFinder(titles);
  const name = title.toLowerCase();
  const once = titles.flatMap((other) => [other, 'x']);
  expect(find([...OTHERS, ...once, ...OTHERS])).toBeUndefined();
  for (const second of [title, name, title.toUpperCase()]) {
    expect(find([...once, ...OTHERS, second, 'y']), second).toBe(name);
    expect(find([second, 'y', ...OTHERS, ...once]), second).toBe(name);
  }
});

test('allows all other headers any number of times', () => {
  expect(
    createRepeatedHeaderFinder(SINGLE_HEADERS)([...OTHERS, ...OTHERS, 'Cookie', 'a', 'Cookie', 'b']),
  ).toBeUndefined();
});

const PROXIES = ['127.0.0.1', '10.0.0.0/8', 'fd00::1'];

function clientOf(
  remoteAddress: string,
  headers: IncomingHttpHeaders,
  trustedProxies: readonly string[] = [],
): unknown {
  const request = { socket: { remoteAddress }, headers } as IncomingMessage;
  return createPublicView({ publicUrl: null, trustedProxies }).clientAddressOf(request);
}

test.each([
  [{ 'x-forwarded-for': '198.51.100.7' }],
  [{ forwarded: 'for=198.51.100.7' }],
  [{ 'x-forwarded-for': '127.0.0.1' }],
])('a client cannot hide its address behind a forwarded header that nobody trusts: %j', (headers) => {
  expect(clientOf('203.0.113.5', headers)).toBe('203.0.113.5');
  expect(clientOf('203.0.113.5', headers, PROXIES)).toBe('203.0.113.5');
});

test('a request that a proxy of this machine forwards without being trusted comes from nobody known', () => {
  for (const loopback of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    expect(clientOf(loopback, {})).toBe(loopback);
    expect(clientOf(loopback, { 'x-forwarded-for': '198.51.100.7' })).toBeUndefined();
    expect(clientOf(loopback, { forwarded: 'for=198.51.100.7' })).toBeUndefined();
  }
});

test.each([
  ['198.51.100.7', '198.51.100.7'],
  ['9.9.9.9, 198.51.100.7', '198.51.100.7'],
  ['198.51.100.7, 10.1.2.3, fd00::1', '198.51.100.7'],
  [' 198.51.100.7 ,, ', '198.51.100.7'],
  ['9.9.9.9, 198.51.100.7:5555', '198.51.100.7'],
  ['9.9.9.9, [2001:db8::1]:5555', '2001:db8::1'],
  ['2001:0DB8:0:3:0:0:0:9', '2001:db8:0:3::9'],
  ['::ffff:c633:6407', '198.51.100.7'],
  ['10.1.2.3', '10.0.0.2'],
  ['', '10.0.0.2'],
])('behind trusted proxies, %j comes from %s', (forwardedFor, expected) => {
  expect(clientOf('10.0.0.2', { 'x-forwarded-for': forwardedFor }, PROXIES)).toBe(expected);
});

test('a hop that is no address ends the search: what is before it may be forged', () => {
  expect(clientOf('10.0.0.2', { 'x-forwarded-for': '9.9.9.9, unknown' }, PROXIES)).toBe('10.0.0.2');
  expect(clientOf('127.0.0.1', { 'x-forwarded-for': '9.9.9.9, unknown' }, PROXIES)).toBeUndefined();
});

test('the origin of a request is that of its connection, unless a trusted proxy or the configuration says otherwise', () => {
  const originOf = (socket: object, headers: IncomingHttpHeaders, publicUrl: string | null = null): string =>
    createPublicView({ publicUrl, trustedProxies: PROXIES }).originOf({ socket, headers } as IncomingMessage);
  const forwarded = { host: 'inner:8080', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'api.example' };
  expect(originOf({ remoteAddress: '203.0.113.5' }, forwarded)).toBe('http://inner:8080');
  expect(originOf({ remoteAddress: '203.0.113.5', encrypted: true }, forwarded)).toBe('https://inner:8080');
  expect(originOf({ remoteAddress: '10.0.0.1' }, forwarded)).toBe('https://api.example');
  expect(originOf({ remoteAddress: '10.0.0.1' }, forwarded, 'https://gateway.example/')).toBe(
    'https://gateway.example',
  );
});
