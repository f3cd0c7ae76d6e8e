import { GatewayError } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { describeDatabaseError, isConnectionFailure, toConnectionString, toStoreError } from './errors.ts';

test.each([
  ['postgres://h/db?sslmode=require', 'postgres://h/db?sslmode=verify-full'],
  ['postgres://h/db?a=b&sslmode=verify-ca&sslrootcert=/x', 'postgres://h/db?a=b&sslmode=verify-full&sslrootcert=/x'],
  ['postgres://h/db?sslmode=no-verify', 'postgres://h/db?sslmode=no-verify'],
  ['postgres://h/db?sslmode=require&uselibpqcompat=true', 'postgres://h/db?sslmode=require&uselibpqcompat=true'],
  ['postgres://u:sslmode=require@h/db', 'postgres://u:sslmode=require@h/db'],
])('%s checks certificates as %s does', (url, expected) => {
  expect(toConnectionString(url)).toBe(expected);
});

const ADDRESS = { host: 'db.example:5432', database: 'gateway', user: 'app', urlName: 'store.url' };

const toError = (message: string, code?: string): Error => Object.assign(new Error(message), code && { code });

test.each<[error: Error, isPermanent: boolean, message: RegExp]>([
  [toError('password authentication failed', '28P01'), true, /^PostgreSQL at db\.example:5432 refused the password/],
  [toError('no pg_hba.conf entry for host', '28000'), true, /does not let the user "app" in .* check pg_hba\.conf/],
  [toError('database "x" does not exist', '3D000'), true, /has no database "gateway": create it/],
  [toError('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'), true, /certificate that is not trusted here/],
  [toError('unsupported startup parameter: statement_timeout', '08P01'), true, /ignore_startup_parameters/],
  [toError('getaddrinfo ENOTFOUND db.example', 'ENOTFOUND'), false, /cannot be reached \(ENOTFOUND\): check that/],
  [toError('timeout exceeded when trying to connect'), false, /cannot be reached \(timeout exceeded when/],
  [toError('sorry, too many clients already', '53300'), false, /has no connection left: raise its max_connections/],
  [toError('could not extend file', '53100'), false, /has run out of a resource \(could not extend file\)/],
  [toError('cannot execute INSERT in a read-only transaction', '25006'), false, /is read-only/],
  [toError('terminating connection', '57P01'), false, /has ended the connection: it shuts down, or an administrator/],
  [toError('the database system is starting up', '57P03'), false, /is starting up/],
  [toError('division by zero', '22012'), false, /reported an error: division by zero/],
  [new AggregateError([toError('connect', 'ECONNREFUSED'), toError('connect')]), false, /reached \(ECONNREFUSED\)/],
])('%s is described', (error, isPermanent, message) => {
  for (const one of [error, new GatewayError('provider_overloaded', 'not available', { cause: error })]) {
    expect(describeDatabaseError(one, ADDRESS)).toEqual({ message: expect.stringMatching(message), isPermanent });
  }
});

test('what passes is a 503 that says when to try again, and keeps its cause for the log', () => {
  const lost = toError('terminating connection due to administrator command', '57P01');
  expect(toStoreError(lost)).toMatchObject({ status: 503, retryAfterSeconds: 1, cause: lost });
  expect(String(toStoreError(toError('connect ECONNREFUSED 10.0.0.7:5432', 'ECONNREFUSED')))).not.toContain('10.0.0.7');
});

test('what does not pass stays what it is', () => {
  const violation = toError('duplicate key value violates unique constraint', '23505');
  expect(toStoreError(violation)).toBe(violation);
  const own = new RangeError('not so');
  expect(toStoreError(own)).toBe(own);
});

test('a statement that fails does not cost the connection', () => {
  expect(isConnectionFailure(toError('duplicate key', '23505'))).toBe(false);
  expect(isConnectionFailure(toError('deadlock detected', '40P01'))).toBe(false);
  expect(isConnectionFailure(toError('canceling statement due to statement timeout', '57014'))).toBe(false);
  expect(isConnectionFailure(toError('Query read timeout'))).toBe(true);
  expect(isConnectionFailure(toError('Connection terminated unexpectedly'))).toBe(true);
});
