import { expect, test } from 'vitest';

import { changeGroup, type GroupFacts } from './groups.ts';
import { parsePatch } from './patch.ts';
import { changeUser, parseUser, type UserFacts } from './users.ts';

const ADA: UserFacts = parseUser({
  userName: 'ada@example.com',
  name: { givenName: 'Ada', familyName: 'Byron' },
  emails: [
    { type: 'home', value: 'home@example.com' },
    { type: 'work', value: 'ada@example.com' },
  ],
});

const patchUser = (...Operations: readonly object[]): UserFacts => parsePatch({ Operations }).reduce(changeUser, ADA);
const TEAM: GroupFacts = { displayName: 'Team', externalId: null, members: ['a', 'b', 'c'] };
const patchGroup = (...Operations: readonly object[]): GroupFacts =>
  parsePatch({ Operations }).reduce(changeGroup, TEAM);

test('a user is read with the address of work, and unknown attributes are forgotten', () => {
  expect(ADA).toEqual({
    userName: 'ada@example.com',
    externalId: null,
    displayName: null,
    givenName: 'Ada',
    familyName: 'Byron',
    email: 'ada@example.com',
    active: true,
    roles: [],
  });
  expect(parseUser({ USERNAME: 'x', title: 'Countess', 'urn:some:extension': { department: 'x' } }).userName).toBe('x');
});

test.each([
  ['a boolean', { op: 'replace', path: 'active', value: false }],
  ['a text, as Entra sends it', { op: 'Replace', path: 'active', value: 'False' }],
  ['an object without a path, as Okta sends it', { op: 'replace', value: { active: false } }],
  ['the URN of the schema', { op: 'add', path: 'urn:ietf:params:scim:schemas:core:2.0:User:active', value: false }],
])('active is changed by %s', (_, operation) => {
  expect(patchUser(operation).active).toBe(false);
});

test('paths into values, and names of fields that are paths, change what they name', () => {
  const changed = patchUser(
    { op: 'Add', path: 'emails[type eq "work"].value', value: 'new@example.com' },
    { op: 'replace', path: 'emails[type eq "home"].value', value: 'no@example.com' },
    { op: 'add', path: 'name.familyName', value: 'Lovelace' },
    { op: 'replace', value: { 'name.givenName': 'A.', id: 'other', displayName: 'Ada L.' } },
    { op: 'add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'x' },
    { op: 'remove', path: 'externalId' },
  );
  expect(changed).toEqual({
    ...ADA,
    email: 'new@example.com',
    familyName: 'Lovelace',
    givenName: 'A.',
    displayName: 'Ada L.',
  });
});

test('members of a group are added, taken out by filter or by value, and replaced', () => {
  expect(patchGroup({ op: 'add', path: 'members', value: [{ value: 'd' }, { value: 'a' }] }).members).toEqual([
    'a',
    'b',
    'c',
    'd',
  ]);
  expect(patchGroup({ op: 'remove', path: 'members[value eq "b"]' }).members).toEqual(['a', 'c']);
  expect(patchGroup({ op: 'Remove', path: 'members', value: [{ value: 'a' }, { value: 'x' }] }).members).toEqual([
    'b',
    'c',
  ]);
  expect(patchGroup({ op: 'remove', path: 'members' }).members).toEqual([]);
  expect(patchGroup({ op: 'replace', path: 'members', value: [{ value: 'z' }] }).members).toEqual(['z']);
  expect(patchGroup({ op: 'replace', value: { displayName: 'Crew', members: [] } })).toEqual({
    displayName: 'Crew',
    externalId: null,
    members: [],
  });
});

test.each([
  ['invalidSyntax', {}],
  ['invalidSyntax', { Operations: [] }],
  ['invalidSyntax', { Operations: [{ op: 'move', path: 'active', value: true }] }],
  ['noTarget', { Operations: [{ op: 'remove' }] }],
  ['invalidPath', { Operations: [{ op: 'add', path: 'a..b', value: 1 }] }],
  ['invalidPath', { Operations: [{ op: 'add', path: 7, value: 1 }] }],
  ['invalidFilter', { Operations: [{ op: 'add', path: 'emails[type is "x"].value', value: 'x' }] }],
  ['mutability', { Operations: [{ op: 'replace', path: 'id', value: 'x' }] }],
  ['invalidValue', { Operations: [{ op: 'replace', path: 'active' }] }],
  ['invalidValue', { Operations: [{ op: 'replace', path: 'active', value: 'maybe' }] }],
  ['invalidValue', { Operations: [{ op: 'remove', path: 'userName' }] }],
  ['invalidValue', { Operations: [{ op: 'replace', value: ['x'] }] }],
  ['invalidValue', { Operations: [{ op: 'replace', path: 'name', value: 'Ada' }] }],
])('a patch that cannot be is refused by SCIM’s name for it: %s', (scimType, body) => {
  const apply = (): unknown => parsePatch(body).reduce(changeUser, ADA);
  expect(apply).toThrow(expect.objectContaining({ metadata: { scimType } }));
});
