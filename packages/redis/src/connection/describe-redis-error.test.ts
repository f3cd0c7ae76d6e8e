import { expect, test } from 'vitest';

import { describeRedisError } from './describe-redis-error.ts';
import { parseRedisUrl } from './parse-redis-url.ts';

const ADDRESS = parseRedisUrl('redis://:secret77@r.test:7000');
const networkError = (code: string) => Object.assign(new Error(`connect ${code} 10.0.0.1:7000`), { code });

test.each([
  [networkError('ECONNREFUSED'), 'cannot be reached: nothing listens there'],
  [new AggregateError([networkError('ECONNREFUSED')], ''), 'cannot be reached: nothing listens there'],
  [networkError('ENOTFOUND'), 'cannot be reached: there is no host of that name'],
  [new Error('WRONGPASS invalid username-password pair'), 'refuses the user or the password'],
  [new Error('NOAUTH Authentication required.'), 'asks for a password, and the address has none'],
  [new Error("READONLY You can't write against a read only replica."), 'is a replica that takes no writes'],
  [new Error("OOM command not allowed when used memory > 'maxmemory'."), 'has no memory left'],
  [new Error('ERR DB index is out of range'), 'has no database of that number'],
  [new Error('WRONGTYPE Operation against a key holding the wrong kind of value'), 'holds something else'],
  [networkError('DEPTH_ZERO_SELF_SIGNED_CERT'), 'has a certificate that is not trusted here'],
  [new Error('ERR AUTH secret77 is odd\n    at x.js:1'), 'has failed: ERR AUTH [password] is odd'],
  ['text', 'has failed'],
])('says what %s means, where, and neither the password nor a stack', (error, meaning) => {
  const text = describeRedisError(error, ADDRESS);
  expect(text).toContain(`Redis at r.test:7000 ${meaning}`);
  expect(text).not.toMatch(/secret77|\n/);
});
