import { expect, test } from 'vitest';

import { parseRedisUrl, RedisUrlError } from './parse-redis-url.ts';

test.each([
  ['redis://localhost', { host: 'localhost', port: 6379, isTls: false, database: 0, place: 'localhost:6379' }],
  ['rediss://u:p%40ss@r.test:7000/3', { username: 'u', password: 'p@ss', isTls: true, port: 7000, database: 3 }],
  ['redis://:only@10.0.0.1', { username: undefined, password: 'only' }],
  ['redis://[::1]:7000', { host: '::1', port: 7000, place: '[::1]:7000' }],
])('reads %s', (text, expected) => {
  expect(parseRedisUrl(text)).toMatchObject(expected);
});

test.each([
  ['secret77', /is not a URL/],
  ['', /is not a URL/],
  ['http://u:secret77@r.test', /begins with http:/],
  ['mysql://u:secret77@r.test', /begins with mysql:/],
  ['redis://:secret77@', /is not a URL|has no host/],
  ['redis:secret77', /has no host/],
  ['redis://:secret77@r.test/data', /not a number/],
  ['redis://:secret77%@r.test', /is not part of a percent-encoded character/],
  ['redis://:secret77@r.test:99999', /is not a URL/],
])('refuses %s and does not repeat it', (text, message) => {
  const read = () => parseRedisUrl(text, 'shared.url');
  expect(read).toThrow(RedisUrlError);
  expect(read).toThrow(/in shared\.url/);
  expect(read).toThrow(message);
  expect(read).not.toThrow(/secret77/);
});
