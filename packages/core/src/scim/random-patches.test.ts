import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { SCIM_TOKEN, startDirectory } from '../../../../test/support/scim/directory.ts';

/** Numbers from 0 up to 1, the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function pickFrom<Item>(items: readonly Item[], random: () => number): Item {
  const [item] = items.slice(Math.floor(random() * items.length));
  if (item === undefined) throw new Error('There is nothing to pick from');
  return item;
}

interface Plain {
  userName: string;
  externalId?: string | undefined;
  displayName?: string | undefined;
  given?: string | undefined;
  family?: string | undefined;
  email?: string | undefined;
  active: boolean;
}

/** An operation, and what it does to a plain model; null for one that has to be refused. */
type Move = readonly [operation: object, change: ((user: Plain) => void) | null];

const ODD = ['x', 'ß \u0000 "', '😀', 'a'.repeat(200), '%00', '__proto__'] as const;

function createMoves(random: () => number, n: number): readonly Move[] {
  const pick = <Item>(items: readonly Item[]): Item => pickFrom(items, random);
  const op = pick(['add', 'Replace', 'REPLACE', 'Add']);
  const text = pick([`t${n}`, ...ODD]);
  const name = `user${n}@example.com`;
  const flag = pick([true, false, 'True', 'False', 'false']);
  return [
    [{ op, path: 'userName', value: name }, (user) => (user.userName = name)],
    [{ op, path: 'externalId', value: text }, (user) => (user.externalId = text.trim())],
    [{ op: 'remove', path: 'externalId' }, (user) => (user.externalId = undefined)],
    [{ op, path: 'displayName', value: text }, (user) => (user.displayName = text.trim())],
    [{ op, value: { displayName: text, id: 'other' } }, (user) => (user.displayName = text.trim())],
    [{ op, path: 'name.givenName', value: text }, (user) => (user.given = text.trim())],
    [{ op, path: 'name', value: { familyName: text, middleName: 'x' } }, (user) => (user.family = text.trim())],
    [{ op: 'Remove', path: 'name' }, (user) => (user.given = user.family = undefined)],
    [{ op, path: 'active', value: flag }, (user) => (user.active = String(flag).toLowerCase() === 'true')],
    [{ op, value: { active: flag } }, (user) => (user.active = String(flag).toLowerCase() === 'true')],
    [{ op, path: 'emails[type eq "work"].value', value: name }, (user) => (user.email = name)],
    [{ op, path: 'emails[type eq "home"].value', value: name }, () => undefined],
    [{ op: 'remove', path: 'emails[type eq "work"]' }, (user) => (user.email = undefined)],
    [
      {
        op,
        path: 'emails',
        value: [
          { type: 'other', value: 'o@x' },
          { primary: true, value: name },
        ],
      },
      (user) => (user.email = name),
    ],
    [{ op, path: pick(['title', 'addresses[type eq "work"].country', 'urn:x:y:z']), value: text }, () => undefined],
    [{ op: pick(['', 'move', '__proto__']), path: 'active', value: true }, null],
    [{ op, path: pick(['a..b', '[x]', 'emails[', 'é', 'id', 'meta.version', 'active]']), value: text }, null],
    [{ op, path: pick(['active', 'name', 'userName']), value: pick([7, [], ['x']]) }, null],
    [{ op: 'remove', path: pick(['userName', 'active']) }, null],
    [{ op: 'remove' }, null],
    [{ op, path: 'emails[type is "x"].value', value: name }, null],
    [{ op, path: 'displayName', value: 'x'.repeat(401) }, null],
  ];
}

test('of 1,000 random patches none is a 5xx, a refused one changes nothing, and the user is as a plain model says', async () => {
  const random = createRandom(7);
  const ask = await startDirectory(createAdminGateway({ scimToken: SCIM_TOKEN }).gateway);
  const { id } = (await ask('POST', '/Users', { userName: 'user@example.com' })).body;
  let model: Plain = { userName: 'user@example.com', active: true };
  const refused = { count: 0 };
  for (let n = 0; n < 1000; n += 1) {
    const moves = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
      return pickFrom(createMoves(random, n), random);
    });
    const isWrong = moves.some(([, change]) => change === null);
    const next = { ...model };
    if (!isWrong) for (const [, change] of moves) change?.(next);
    const { status, body } = await ask('PATCH', `/Users/${id}`, { Operations: moves.map(([operation]) => operation) });
    expect([n, status, JSON.stringify(moves)]).toEqual([n, isWrong ? 400 : 200, JSON.stringify(moves)]);
    if (isWrong) {
      refused.count += 1;
      expect(body['schemas']).toEqual(['urn:ietf:params:scim:api:messages:2.0:Error']);
    } else model = next;
    expect(toPlain((await ask('GET', `/Users/${id}`)).body)).toEqual(toPlain(toBody(model)));
  }
  expect(refused.count).toBeGreaterThan(200);
});

test('of 300 random changes of a group none is a 5xx, and its members are as a plain set says', async () => {
  const random = createRandom(11);
  const ask = await startDirectory(createAdminGateway({ scimToken: SCIM_TOKEN }).gateway);
  const users: string[] = [];
  for (let n = 0; n < 6; n += 1) users.push((await ask('POST', '/Users', { userName: `u${n}` })).body.id);
  const { id } = (await ask('POST', '/Groups', { displayName: 'Team' })).body;
  let members = new Set<string>();
  for (let n = 0; n < 300; n += 1) {
    const some = users.filter(() => random() < 0.4);
    const [one = ''] = some;
    const value = some.map((user) => ({ value: user }));
    const without = (gone: readonly string[]): Set<string> =>
      new Set([...members].filter((user) => !gone.includes(user)));
    const moves: readonly (readonly [object, Set<string> | null])[] = [
      [{ op: 'Add', path: 'members', value }, new Set([...members, ...some])],
      [{ op: 'replace', path: 'members', value }, new Set(some)],
      [{ op: 'Remove', path: 'members', value }, without(some)],
      [{ op: 'remove', path: `members[value eq "${one}"]` }, without([one])],
      [{ op: 'add', value: { members: value, displayName: 'Team' } }, new Set([...members, ...some])],
      [{ op: 'add', path: 'members', value: [{ value: 'nobody' }] }, null],
      [{ op: 'add', path: 'members', value: [{ value: 7 }] }, null],
    ];
    const [operation, next] = pickFrom(moves, random);
    const { status } = await ask('PATCH', `/Groups/${id}`, { Operations: [operation] });
    expect([n, status]).toEqual([n, next === null ? 400 : 200]);
    members = next ?? members;
    const shown = (await ask('GET', `/Groups/${id}`)).body['members'] as readonly { readonly value: string }[];
    expect(shown.map((each) => each.value).toSorted()).toEqual([...members].toSorted());
  }
});

function toBody({ given, family, email, ...rest }: Plain): Readonly<Record<string, unknown>> {
  return {
    ...rest,
    name: { givenName: given, familyName: family },
    emails: email === undefined ? [] : [{ value: email }],
  };
}

/** What both sides say, with absent and empty alike. */
function toPlain(body: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { givenName, familyName } = body['name'] as { readonly givenName?: string; readonly familyName?: string };
  const [email] = body['emails'] as readonly { readonly value: string }[];
  const { userName, externalId, displayName, active } = body;
  return [
    userName,
    externalId || null,
    displayName || null,
    givenName || null,
    familyName || null,
    email?.value ?? null,
    active,
  ];
}
