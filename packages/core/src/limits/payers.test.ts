import { expect, test } from 'vitest';

import { createDeferred } from '../../../../test/support/async/deferred.ts';
import { jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createRoutedGateway, endpointsAt } from '../../../../test/support/gateways/routed-gateway.ts';

/** Room for the call that is under way, and not for a second one. */
const LIMIT_USD = 0.000_25;

const MODELS = [{ id: 'r/chat', endpoints: endpointsAt({ one: 1 }, { max_completion_tokens: 100 }) }];

/** A gateway with a key of the member `mo`, and a provider that responds when it is let. */
async function openScene(account: { creditsUsd?: number } = {}) {
  const core = createRoutedGateway({ one: {} }, MODELS, { account });
  const { post, behave, calls } = core;
  const send = async (method: string, path: string, body: object) => {
    const response = await post(path, body, { method, headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } });
    if (response.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(jsonOf(response))}`);
    return jsonOf(response) as { data: { id: string; hash: string }; key: string };
  };
  await send('POST', '/admin/v1/members', { user_id: 'mo' });
  const makeKey = (more: object = {}) => send('POST', '/api/v1/keys', { name: 'k', creator_user_id: 'mo', ...more });
  const ask = (key: string) => core.chat({ model: 'r/chat' }, { headers: { authorization: `Bearer ${key}` } });
  const gate = createDeferred<void>();
  const isAsked = createDeferred<void>();
  behave('one', async () => {
    if (calls.length > 1) return;
    isAsked.resolve();
    await gate.promise;
  });
  return { send, makeKey, ask, gate, isAsked };
}
type Scene = Awaited<ReturnType<typeof openScene>>;

async function limitByGuardrail({ send }: Scene, assigned: 'keys' | 'members', body: object): Promise<void> {
  const { data } = await send('POST', '/api/v1/guardrails', { name: 'r', limit_usd: LIMIT_USD });
  await send('POST', `/api/v1/guardrails/${data.id}/assignments/${assigned}`, body);
}

test.each([
  ['the credits of the account', 402, { creditsUsd: LIMIT_USD }, ({ makeKey }: Scene) => makeKey()],
  ['the limit of its key', 402, {}, ({ makeKey }: Scene) => makeKey({ limit: LIMIT_USD })],
  [
    'a budget of its workspace',
    403,
    {},
    async ({ send, makeKey }: Scene) => {
      await send('PUT', '/api/v1/workspaces/default/budgets/daily', { limit_usd: LIMIT_USD });
      return makeKey();
    },
  ],
  [
    'a guardrail of its key',
    403,
    {},
    async (scene: Scene) => {
      const made = await scene.makeKey();
      await limitByGuardrail(scene, 'keys', { key_hashes: [made.data.hash] });
      return made;
    },
  ],
  [
    'a guardrail of its member',
    403,
    {},
    async (scene: Scene) => {
      await limitByGuardrail(scene, 'members', { member_user_ids: ['mo'] });
      return scene.makeKey();
    },
  ],
])('a call that is under way counts against %s, so that a second one is refused', async (_, status, account, limit) => {
  const scene = await openScene(account);
  const { key } = await limit(scene);
  const { ask, gate, isAsked } = scene;
  const first = ask(key);
  await isAsked.promise;
  expect((await ask(key)).status).toBe(status);
  gate.resolve();
  expect((await first).status).toBe(200);
  // It has cost a tenth of what it might have.
  expect((await ask(key)).status).toBe(200);
});

test('a call counts against the member whose key it is, and against no other', async () => {
  const scene = await openScene();
  const { send, makeKey, ask, gate, isAsked } = scene;
  await send('POST', '/admin/v1/members', { user_id: 'ann' });
  await limitByGuardrail(scene, 'members', { member_user_ids: ['mo', 'ann'] });
  const ofMo = [await makeKey(), await makeKey()] as const;
  const ofAnn = await makeKey({ creator_user_id: 'ann' });
  const first = ask(ofMo[0].key);
  await isAsked.promise;
  expect((await ask(ofMo[1].key)).status).toBe(403);
  expect((await ask(ofAnn.key)).status).toBe(200);
  gate.resolve();
  expect((await first).status).toBe(200);
});
