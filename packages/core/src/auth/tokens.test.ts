import { exportJWK, SignJWT, UnsecuredJWT } from 'jose';
import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { API_KEY, createCoreGateway, jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import {
  createTokenKey,
  startTokenIssuer,
  type TokenKey,
} from '../../../../test/support/sign-in/start-token-issuer.ts';
import { toContent, toRecord } from '../../../../test/support/stores/generation-records.ts';
import { toEventPieces } from '../../../../test/support/upstreams/chunkings.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { readText } from '../foundation/transport.ts';
import type { TokenIssuer } from './token-issuers.ts';

const FIRST = await createTokenKey('first');
const SECOND = await createTokenKey('second');

/** An issuer of which the test changes the keys. */
const startIssuer = (keys: readonly TokenKey[] = [FIRST]) => startTokenIssuer(keys);

async function createOffice(changes: Partial<TokenIssuer> = {}, keys?: readonly TokenKey[], isPerRequest?: boolean) {
  const { url, state, stop } = await startIssuer(keys);
  const tokens = { issuers: [{ issuer: url, audience: 'gateway', ...changes }] };
  const admin = createAdminGateway({ tokens, isPerRequest });
  const { platform } = admin;
  const nowSeconds = (): number => Math.floor(platform.now() / 1000);
  const sign = (claims: Readonly<Record<string, unknown>> = {}, key: TokenKey = FIRST): Promise<string> =>
    new SignJWT({ iss: url, aud: 'gateway', sub: 'robot', exp: nowSeconds() + 3600, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: key.kid })
      .sign(key.privateKey);
  const ask = async (token: string): Promise<readonly [number, unknown]> => {
    const { status, body } = await admin.call('GET', '/models/user', undefined, token);
    return [status, (body['error'] as { message?: string } | undefined)?.message];
  };
  return { ...admin, url, state, stop, sign, ask, nowSeconds };
}

test('a token of the issuer calls as an API key does, and its keys are read once', async () => {
  const { sign, ask, state, call } = await createOffice();
  const token = await sign();
  for (let i = 0; i < 3; i += 1) expect(await ask(token)).toEqual([200, undefined]);
  expect(await ask(await sign({ sub: 'other' }))).toEqual([200, undefined]);
  expect(state.asked).toBe(1);
  expect((await call('GET', '/keys', undefined, token)).status).toBe(401);
  expect((await call('GET', '/admin/v1/keys', undefined, token)).status).toBe(403);
});

test.each([
  [undefined, 'once', 1],
  [true, 'by each, where requests cannot share promises', 2],
])('tokens that come at once, per request %j: the keys of their issuer are read %s', async (isPerRequest, _, times) => {
  const { sign, ask, state } = await createOffice({}, [FIRST], isPerRequest);
  const tokens = [await sign({ sub: 'one' }), await sign({ sub: 'other' })];
  expect(await Promise.all(tokens.map(ask))).toEqual([
    [200, undefined],
    [200, undefined],
  ]);
  expect(state.asked).toBe(times);
});

const NO_MODELS = 'The claim models of the token has to be a list of at most 1000 slugs of models';

test.each([
  ['an expired one', { exp: 1 }, 'The token has expired; ask its issuer for a new one'],
  ['one without an end', { exp: undefined }, 'The token lacks the claim exp'],
  ['one without a subject', { sub: undefined }, 'The token lacks the claim sub'],
  ['a subject that is a number', { sub: 7 }, 'The claim sub has to be a text of 1 to 500 characters'],
  ['a subject that is a list', { sub: ['robot'] }, 'The claim sub has to be a text of 1 to 500 characters'],
  ['an empty subject', { sub: '' }, 'The claim sub has to be a text of 1 to 500 characters'],
  ['one for another audience', { aud: 'other' }, 'The token is for another audience (`aud`)'],
  [
    'one of another issuer',
    { iss: 'https://x.example' },
    'The issuer of the token, "https://x.example", is not known here',
  ],
  ['one that is not valid yet', { nbf: 4_000_000_000 }, 'The token is not valid yet (`nbf`)'],
  ['a strange limit', { budget: 'much' }, 'The claim budget of the token has to be a number of dollars'],
  ['an unknown member', { email: 'no@example.com' }, 'The token names nobody who is a member of this organization'],
  ['an unknown workspace', { team: 'none' }, 'The token names a workspace that does not exist'],
  ['an unknown guardrail', { rules: 'none' }, 'The token names a guardrail that does not exist'],
  ['no guardrail', { rules: null }, 'The claim rules of the token has to be the id or name of a guardrail'],
  ['an empty guardrail', { rules: '' }, 'The claim rules of the token has to be the id or name of a guardrail'],
  ['no list of models', { models: null }, NO_MODELS],
  ['an empty text of models', { models: ' ' }, NO_MODELS],
  ['models that are no texts', { models: ['acme/chat', 7] }, NO_MODELS],
  ['an object of models', { models: { 'acme/chat': true } }, NO_MODELS],
])('%s is refused in words', async (_, claims, message) => {
  const { sign, ask } = await createOffice({
    claims: { limitUsd: 'budget', member: 'email', workspace: 'team', guardrail: 'rules', allowedModels: 'models' },
  });
  expect(await ask(await sign(claims))).toEqual([401, message]);
});

test('a signature that is missing, wrong, or made with the public key as a secret is refused', async () => {
  const { sign, ask, url, nowSeconds } = await createOffice();
  const claims = { iss: url, aud: 'gateway', sub: 'robot', exp: nowSeconds() + 3600 };
  const allowed = 'The token is signed in a way that is not allowed here (`alg`)';
  expect(await ask(new UnsecuredJWT(claims).encode())).toEqual([401, allowed]);
  const secret = new TextEncoder().encode(JSON.stringify(await exportJWK(FIRST.publicKey)));
  const symmetric = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'first' }).sign(secret);
  expect(await ask(symmetric)).toEqual([401, allowed]);
  const [header, , signature] = (await sign()).split('.');
  const [, payload] = (await sign({ sub: 'somebody else' })).split('.');
  expect(await ask(`${header}.${payload}.${signature}`)).toEqual([401, 'The signature of the token is wrong']);
  expect(await ask('eyJ.x.y')).toEqual([401, 'The token is no JWT that can be read']);
});

test('a key that its issuer publishes damaged refuses its tokens in words, and the other keys open as before', async () => {
  const { sign, ask, state } = await createOffice({}, [FIRST, SECOND]);
  state.damagedKid = 'second';
  expect(await ask(await sign({}, SECOND))).toEqual([
    401,
    'The token is signed with a key that its issuer publishes in a form that cannot be read',
  ]);
  expect(await ask(await sign())).toEqual([200, undefined]);
});

test('a key that rotates is read anew for its first token, and not for every unknown one', async () => {
  const { sign, ask, state, platform } = await createOffice();
  expect(await ask(await sign())).toEqual([200, undefined]);
  state.keys = [FIRST, SECOND];
  const rotated = await sign({}, SECOND);
  expect((await ask(rotated))[0]).toBe(401);
  expect(state.asked).toBe(1);
  await platform.advance(31_000);
  expect(await ask(rotated)).toEqual([200, undefined]);
  expect(state.asked).toBe(2);
  const stranger = await createTokenKey('stranger');
  for (let i = 0; i < 20; i += 1) {
    expect(await ask(await sign({ sub: `s${i}` }, stranger))).toEqual([
      401,
      'The token is signed with a key that its issuer does not publish',
    ]);
  }
  expect(state.asked).toBe(2);
});

test('an issuer that is away keeps the keys that are known, and without any it is a 503', async () => {
  const { sign, ask, state, platform, stop } = await createOffice();
  const token = await sign({ exp: Math.floor(platform.now() / 1000) + 100_000 });
  state.status = 500;
  expect(await ask(token)).toEqual([503, 'The keys of the issuer of the token cannot be read at present']);
  state.status = 200;
  await platform.advance(6000);
  expect(await ask(token)).toEqual([200, undefined]);
  await stop();
  await platform.advance(2 * 3600_000);
  expect(await ask(token)).toEqual([200, undefined]);
});

test('a key that the issuer has withdrawn opens nothing after an hour, and a token nothing after its end', async () => {
  const { sign, ask, state, platform, nowSeconds } = await createOffice();
  const long = await sign({ exp: nowSeconds() + 100_000 });
  const short = await sign({ exp: nowSeconds() + 60 });
  expect([(await ask(long))[0], (await ask(short))[0]]).toEqual([200, 200]);
  state.keys = [SECOND];
  await platform.advance(91_000);
  expect((await ask(short))[0]).toBe(401);
  await platform.advance(3600_000);
  expect((await ask(long))[0]).toBe(401);
});

test('claims say member, workspace, limit and name, and a removed member stops at once', async () => {
  const claims = {
    member: 'email',
    workspace: 'realm.team',
    limitUsd: 'https://example.com/budget',
    limitReset: 'reset',
    name: 'name',
  };
  const { sign, ask, dataOf, call } = await createOffice({ claims });
  await dataOf('POST', '/admin/v1/members', { user_id: 'mo', email: 'mo@example.com' });
  const workspace = await dataOf('POST', '/workspaces', { name: 'Lab', slug: 'lab' });
  const token = await sign({
    email: 'Mo@Example.com',
    realm: { team: 'lab' },
    'https://example.com/budget': 2.5,
    reset: 'monthly',
    name: 'Nightly job',
  });
  const { status, body } = await call('GET', '/key', undefined, token);
  expect(status).toBe(200);
  expect(body['data']).toMatchObject({
    label: 'Nightly job',
    limit: 2.5,
    limit_reset: 'monthly',
    creator_user_id: 'mo',
    workspace_id: workspace.id,
  });
  await call('DELETE', '/admin/v1/members/mo');
  expect(await ask(token)).toEqual([401, 'The member of the token is gone or deactivated']);
});

test('an address that the issuer has not checked names no member', async () => {
  const { sign, ask, dataOf } = await createOffice({ claims: { member: 'email' } });
  await dataOf('POST', '/admin/v1/members', { user_id: 'mo', email: 'mo@example.com' });
  const email = 'mo@example.com';
  for (const unchecked of [false, 'false', 0]) {
    const refused = [401, 'The issuer of the token has not checked its e-mail address'];
    expect(await ask(await sign({ email, email_verified: unchecked }))).toEqual(refused);
  }
  for (const checked of [true, 'true', undefined])
    expect((await ask(await sign({ email, email_verified: checked })))[0]).toBe(200);
  // A token without an address belongs to no member.
  expect((await ask(await sign({ email_verified: false })))[0]).toBe(200);
});

test('a token without a member or a user reads what its subject made, and nothing of the operator’s keys', async () => {
  const { sign, call, store, platform, url } = await createOffice({ claims: { externalUser: 'customer' } });
  const makeKey = async (more: object = {}): Promise<{ readonly key: string; readonly hash: string }> => {
    const { body } = await call('POST', '/keys', { name: 'k', ...more });
    return { key: String(body['key']), hash: (body['data'] as { hash: string }).hash };
  };
  const [one, other, ofCustomer] = [await makeKey(), await makeKey(), await makeKey({ external: { user: 'c-1' } })];
  const subject = `jwt:${(await platform.sha256(JSON.stringify([url, 'robot']))).slice(0, 40)}`;
  const made = { operator: one.hash, subject, customer: ofCustomer.hash };
  for (const [name, principalId] of Object.entries(made)) {
    await store.generations.append(toRecord(`gen-${name}`, { principalId }), toContent('Secret'));
  }
  const readBy = async (key: string): Promise<readonly string[]> => {
    const readable = [];
    for (const name of Object.keys(made)) {
      const { status } = await call('GET', `/generation/content?id=gen-${name}`, undefined, key);
      if (status === 200) readable.push(name);
    }
    return readable;
  };
  expect(await readBy(other.key)).toEqual(['operator']);
  expect(await readBy(await sign())).toEqual(['subject']);
  expect(await readBy(await sign({ customer: 'c-1' }))).toEqual(['subject', 'customer']);
});

type Office = Awaited<ReturnType<typeof createOffice>>;

/** The models that a caller is shown, one way and the other. */
async function modelsOf({ call }: Office, token: string) {
  const { data } = (await call('GET', '/models/user', undefined, token)).body as { data: { id: string }[] };
  const counted = (await call('GET', '/models/count', undefined, token)).body as { data: { count: number } };
  return { ids: data.map(({ id }) => id), count: counted.data.count };
}

test.each([
  [{ models: ['acme/chat'] }, ['acme/chat']],
  [{ models: 'acme/chat, acme/unknown' }, ['acme/chat']],
  [{ models: [] }, []],
  [{}, ['acme/other']],
])('the models of the claims %j are all that its calls and lists know', async (claims, ids) => {
  const office = await createOffice({ claims: { allowedModels: 'models' }, allowedModels: ['acme/other'] });
  const token = await office.sign(claims);
  expect(await modelsOf(office, token)).toEqual({ ids, count: ids.length });
  for (const model of ['acme/chat', 'acme/other'].filter((each) => !ids.includes(each))) {
    const body = { model, messages: [{ role: 'user', content: 'Hi' }] };
    expect((await office.call('POST', '/chat/completions', body, token)).status).toBe(404);
  }
});

test('a guardrail that the claims name holds as one of a key does, beside the models, until it is gone', async () => {
  const office = await createOffice({ claims: { allowedModels: 'models', guardrail: 'rules' } });
  const { dataOf, call, sign, ask } = office;
  const guardrail = await dataOf('POST', '/guardrails', {
    name: 'Narrow',
    ignored_models: ['acme/other'],
    limit_usd: 0.000001,
    content_filters: [{ pattern: 'secret', action: 'block' }],
  });
  const token = await sign({ rules: 'Narrow', models: ['acme/chat', 'acme/other'] });
  expect((await modelsOf(office, token)).ids).toEqual(['acme/chat']);
  const sent = (content: string, max_tokens: number) =>
    call('POST', '/chat/completions', { model: 'acme/chat', messages: [{ role: 'user', content }], max_tokens }, token);
  expect(await sent('a secret', 5)).toMatchObject({ status: 403 });
  expect(await sent('Hi', 1000)).toMatchObject({
    status: 403,
    body: { error: { message: expect.stringContaining('Guardrail budget exceeded') } },
  });
  await dataOf('POST', '/guardrails', { name: 'Narrow' });
  const message = 'The token names a guardrail by a name that several have; use its id';
  expect(await ask(await sign({ rules: 'Narrow', jti: 'later' }))).toEqual([401, message]);
  expect((await ask(await sign({ rules: guardrail.id })))[0]).toBe(200);
  await call('DELETE', `/guardrails/${guardrail.id}`);
  expect(await ask(token)).toEqual([401, 'The guardrail of the token has been deleted']);
});

test('a token without kid is checked against each key that fits', async () => {
  const { ask, url, nowSeconds } = await createOffice({}, [FIRST, SECOND]);
  const token = await new SignJWT({ iss: url, aud: ['x', 'gateway'], sub: 'robot', exp: nowSeconds() + 60 })
    .setProtectedHeader({ alg: 'ES256' })
    .sign(SECOND.privateKey);
  expect(await ask(token)).toEqual([200, undefined]);
});

test('the limit of a token is counted for its subject, whichever token it shows', async () => {
  const { url } = await startIssuer();
  const usage = { prompt_tokens: 1000, completion_tokens: 1000, total_tokens: 2000 };
  const pieces = toEventPieces([
    { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] },
    { choices: [], usage },
  ]);
  const issuer: TokenIssuer = { issuer: url, audience: 'gateway', limitUsd: 0.0075 };
  const { chat, platform } = createCoreGateway(createReplayTransport({ pieces }), { tokens: { issuers: [issuer] } });
  const ask = async (claims: object): Promise<number> => {
    const exp = Math.floor(platform.now() / 1000) + 60;
    const token = await new SignJWT({ iss: url, aud: 'gateway', exp, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'first' })
      .sign(FIRST.privateKey);
    const { status, body } = await chat(
      { stream: true, max_tokens: 1000 },
      { headers: { authorization: `Bearer ${token}` } },
    );
    if (status === 200) await readText(body as AsyncIterable<Uint8Array>);
    return status;
  };
  expect(await ask({ sub: 'robot', jti: 'a' })).toBe(200);
  expect(await ask({ sub: 'robot', jti: 'b' })).toBe(402);
  expect(await ask({ sub: 'other' })).toBe(200);
});

/** Asks with these headers, as a client at an address. */
async function askWith({ gateway }: Office, headers: Readonly<Record<string, string>>, remoteAddress = '203.0.113.7') {
  const response = await gateway.handle({
    method: 'GET',
    path: '/api/v1/models/user',
    query: '',
    headers,
    baseUrl: '',
    remoteAddress,
    signal: new AbortController().signal,
    ...bodyOf(),
  });
  const { error } = jsonOf(response) as { error?: { message: string } };
  return [response.status, error?.message] as const;
}

test('a key opens beside the token of another service, in either header, and one that is no key does not', async () => {
  const office = await createOffice();
  const { sign } = office;
  const claim = 'a claim that makes the token longer than keys are'.repeat(10);
  const foreign = await sign({ iss: 'https://x.example', claim });
  const expired = await sign({ exp: 1, claim });
  for (const token of [foreign, expired]) {
    expect(await askWith(office, { authorization: `Bearer ${token}`, 'x-api-key': API_KEY })).toEqual([200, undefined]);
    expect(await askWith(office, { authorization: `Bearer ${API_KEY}`, 'x-api-key': token })).toEqual([200, undefined]);
  }
  expect(await askWith(office, { authorization: `Bearer ${expired}`, 'x-api-key': 'sk-of-another' })).toEqual([
    401,
    'The token has expired; ask its issuer for a new one. The key beside the token: Unknown API key',
  ]);
  // One that was good a moment ago.
  const other = await createOffice({ claims: { member: 'member' } });
  await other.dataOf('POST', '/admin/v1/members', { user_id: 'mo' });
  const headers = { authorization: `Bearer ${await other.sign({ member: 'mo' })}`, 'x-api-key': API_KEY };
  expect((await askWith(other, headers))[0]).toBe(200);
  await other.call('DELETE', '/admin/v1/members/mo');
  expect((await askWith(other, headers))[0]).toBe(200);
});

test('tokens that nobody known has signed are slowed, and those that have expired are not', async () => {
  const office = await createOffice();
  const expired = { authorization: `Bearer ${await office.sign({ exp: 1 })}` };
  const forged = { authorization: `Bearer ${await office.sign({ iss: 'https://x.example' })}` };
  for (let i = 0; i < 20; i += 1)
    expect(await askWith(office, expired)).toEqual([401, 'The token has expired; ask its issuer for a new one']);
  for (let i = 0; i < 10; i += 1) expect((await askWith(office, forged))[0]).toBe(401);
  expect(await askWith(office, forged)).toEqual([
    429,
    'Unknown token, after others from this address; wait 1 s before the next attempt',
  ]);
  // The key of another service beside it changes nothing of that, and neither header slows anybody.
  const elsewhere = '203.0.113.9';
  for (let i = 0; i < 20; i += 1) {
    const [status, message] = await askWith(office, { ...expired, 'x-api-key': 'sk-of-another' }, elsewhere);
    expect([status, message?.split(';')[0]]).toEqual([401, 'The token has expired']);
  }
  expect((await askWith(office, { 'x-api-key': 'sk-of-another' }, elsewhere))[0]).toBe(401);
  // Beside a wrong key it is one attempt, and beside a right one none.
  const address = '203.0.113.8';
  for (let i = 0; i < 10; i += 1) {
    expect((await askWith(office, { ...forged, 'x-api-key': API_KEY }, address))[0]).toBe(200);
    expect((await askWith(office, { ...forged, 'x-api-key': `sk-${i}` }, address))[0]).toBe(401);
  }
  expect((await askWith(office, { ...forged, 'x-api-key': 'sk-10' }, address))[0]).toBe(429);
});
