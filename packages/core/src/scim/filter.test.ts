import { expect, test } from 'vitest';

import { fits, parseFilter } from './filter.ts';

const USER: Readonly<Record<string, readonly (string | boolean)[]>> = {
  username: ['Ada@Example.com'],
  externalid: ['aB1'],
  'emails.value': ['ada@example.com'],
  active: [true],
  displayname: [],
};

test.each([
  ['userName eq "ada@example.com"', true],
  ['USERNAME Eq "ada@example.com"', true],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada@example.com"', true],
  ['externalId eq "aB1"', true],
  ['externalId eq "ab1"', false],
  ['userName eq "ada@example.com" and active eq "True"', true],
  ['userName eq "ada@example.com" and active eq false', false],
  ['userName eq "x" or emails.value sw "ada@"', true],
  ['userName co "example" and userName ew ".com"', true],
  ['displayName pr', false],
  ['userName pr and displayName eq null', true],
  ['unknown eq "x"', false],
  ['userName ne "x"', true],
  ['userName eq "a \\"quoted\\" name"', false],
])('%s: %s', (text, expected) => {
  expect(fits(parseFilter(text), (path) => USER[path])).toBe(expected);
});

test.each([
  'userName',
  'userName is "x"',
  'userName eq',
  'userName eq x',
  'userName eq "x',
  '(userName eq "x")',
  'userName eq "x" and',
  'userName eq "x" userName eq "y"',
  'emails[type eq "work"].value eq "x"',
  '"x" eq userName',
  `userName eq "${'x'.repeat(3000)}"`,
  Array.from({ length: 21 }, () => 'a pr').join(' and '),
])('what is no filter here is refused as one: %s', (text) => {
  expect(() => parseFilter(text)).toThrow(expect.objectContaining({ metadata: { scimType: 'invalidFilter' } }));
});
