import { expect, test } from 'vitest';

import { toConnectionString } from './database-address.ts';

test.each([
  ['postgres://h/db?sslmode=require', 'postgres://h/db?sslmode=verify-full'],
  ['postgres://h/db?a=b&sslmode=verify-ca&sslrootcert=/x', 'postgres://h/db?a=b&sslmode=verify-full&sslrootcert=/x'],
  ['postgres://h/db?sslmode=no-verify', 'postgres://h/db?sslmode=no-verify'],
  ['postgres://h/db?sslmode=require&uselibpqcompat=true', 'postgres://h/db?sslmode=require&uselibpqcompat=true'],
  ['postgres://u:sslmode=require@h/db', 'postgres://u:sslmode=require@h/db'],
])('%s checks certificates as %s does', (url, expected) => {
  expect(toConnectionString(url)).toBe(expected);
});
