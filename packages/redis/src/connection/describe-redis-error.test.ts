import { expect, test } from 'vitest';

import { describeRedisError } from './describe-redis-error.ts';
import { parseRedisUrl } from './parse-redis-url.ts';

const ADDRESS = parseRedisUrl('redis://:secret77@r.test:7000', 'shared.url');
const networkError = (code: string) => Object.assign(new Error(`connect ${code} 10.0.0.1:7000`), { code });

test.each([
  [networkError('ECONNREFUSED'), 'cannot be reached: nothing listens there'],
  [new AggregateError([networkError('ECONNREFUSED')], ''), 'cannot be reached: nothing listens there'],
  [networkError('ENOTFOUND'), 'cannot be reached: there is no host of that name'],
  [new Error('WRONGPASS invalid username-password pair'), 'refuses the user or the password'],
  [new Error('NOAUTH Authentication required.'), 'asks for a password, and shared.url has none'],
  [new Error("READONLY You can't write against a read only replica."), 'is a replica that takes no writes'],
  [new Error("OOM command not allowed when used memory > 'maxmemory'."), 'has no memory left'],
  [new Error('MOVED 3999 127.0.0.1:6381'), 'is a node of a Redis Cluster, which the gateway cannot use'],
  [new Error('ERR DB index is out of range'), 'has no database of that number'],
  [new Error('WRONGTYPE Operation against a key holding the wrong kind of value'), 'holds something else'],
  [networkError('DEPTH_ZERO_SELF_SIGNED_CERT'), 'has a certificate that is not trusted here'],
  [networkError('ERR_TLS_CERT_ALTNAME_INVALID'), 'has a certificate of another name: write the host in shared.url'],
  [networkError('CERT_HAS_EXPIRED'), 'has a certificate that is not valid at this time'],
  [networkError('ECONNRESET'), 'has closed the connection; if it takes TLS alone, shared.url has to begin with rediss'],
  [new Error(`ERR URL ${'x'.repeat(185)} secret77`), `has failed: ERR URL ${'x'.repeat(185)} [passw`],
  [new Error('ERR AUTH secret77 is odd\n    at x.js:1'), 'has failed: ERR AUTH [password] is odd'],
  ['text', 'has failed'],
])('says what %s means, where, and neither the password nor a stack', (error, meaning) => {
  const text = describeRedisError(error, ADDRESS);
  expect(text).toContain(`Redis at r.test:7000 ${meaning}`);
  expect(text).not.toMatch(/secret77|\n/);
});

test('guesses that TLS is the matter until the first connection, and not afterwards', () => {
  const address = parseRedisUrl('rediss://r.test', 'shared.url');
  const silent = networkError('ETIMEDOUT');
  expect(describeRedisError(silent, address)).toBe(
    'Redis at r.test:6379 cannot be reached: no response in time; if it has no TLS there, shared.url has to begin with redis://',
  );
  expect(describeRedisError(silent, address, true)).toBe('Redis at r.test:6379 cannot be reached: no response in time');
});
