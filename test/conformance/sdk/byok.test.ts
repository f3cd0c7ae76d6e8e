import { OpenRouter } from '@openrouter/sdk';
import * as errors from '@openrouter/sdk/models/errors';
import { expect, onTestFinished, test } from 'vitest';

import { failureOf } from '../../support/async/failure-of.ts';
import { startHost } from '../../support/conformance/hosts.ts';
import { API_KEY, MANAGEMENT_KEY } from '../../support/gateways/core-gateway.ts';
import { createSetupGateway } from '../../support/gateways/setup-gateway.ts';

const KEY = 'sk-own-key-of-the-workspace-2222';
const CONFIG = {
  providers: [{ slug: 'openai', wire: 'openai', baseUrl: 'https://openai.example/v1', apiKey: 'sk-shared-1111' }],
  models: [{ id: 'acme/chat', endpoints: [{ provider: 'openai', providerModel: 'chat-1' }] }],
};

async function startClients() {
  const { gateway } = await createSetupGateway({ config: CONFIG });
  const host = await startHost('node', gateway, {});
  onTestFinished(() => host.close());
  const clientWith = (apiKey: string): OpenRouter =>
    new OpenRouter({ apiKey, serverURL: host.apiUrl, retryConfig: { strategy: 'none' } });
  return { admin: clientWith(MANAGEMENT_KEY), caller: clientWith(API_KEY) };
}

// Every response is checked: the client refuses those that its schemas do not allow.
test('the OpenRouter client stores, lists, changes, uses and deletes a provider key', async () => {
  const { admin, caller } = await startClients();
  const say = async (): Promise<unknown> => {
    const chatRequest = { model: 'acme/chat', messages: [{ role: 'user' as const, content: 'Hi' }] };
    const answer = await caller.chat.send({ chatRequest });
    return 'choices' in answer ? answer.choices[0]?.message.content : undefined;
  };
  expect(await say()).toContain('sk-shared-1111');

  const made = (
    await admin.byok.create({ createBYOKKeyRequest: { provider: 'openai', key: KEY, name: 'team', isFallback: false } })
  ).data;
  expect(made).toMatchObject({
    provider: 'openai',
    label: '…2222',
    name: 'team',
    disabled: false,
    isFallback: false,
    isRequired: false,
    isByokOnly: false,
    declaredZdr: null,
    sortOrder: 0,
    allowedModels: null,
    allowedApiKeyHashes: null,
    allowedUserIds: null,
    workspaceId: '00000000-0000-4000-8000-000000000000',
  });
  expect(JSON.stringify(made)).not.toContain(KEY);
  expect(await say()).toContain(KEY);

  const second = (await admin.byok.create({ createBYOKKeyRequest: { provider: 'openai', key: 'sk-b' } })).data;
  expect([second.sortOrder, second.name, second.label]).toEqual([1, null, '…']);
  const { result } = await admin.byok.list({ provider: 'openai' });
  expect([result.totalCount, result.data.map(({ id }) => id)]).toEqual([2, [made.id, second.id]]);
  expect((await admin.byok.list({ limit: 1, offset: 1 })).result.data).toEqual([second]);
  expect((await admin.byok.get({ id: made.id })).data).toEqual(made);

  const limited = await admin.byok.update({
    id: made.id,
    updateBYOKKeyRequest: { name: null, allowedModels: ['acme/chat'], disabled: true },
  });
  expect(limited.data).toEqual({ ...made, name: null, allowedModels: ['acme/chat'], disabled: true });
  const cleared = await admin.byok.update({ id: made.id, updateBYOKKeyRequest: { allowedModels: null } });
  expect(cleared.data).toEqual({ ...made, name: null, disabled: true });

  for (const { id } of [made, second]) expect(await admin.byok.delete({ id })).toEqual({ deleted: true });
  expect(await failureOf(admin.byok.get({ id: made.id }))).toBeInstanceOf(errors.NotFoundResponseError);
  expect(await say()).toContain('sk-shared-1111');
});

test('the OpenRouter client hears of an unknown hash, and of a key that may not administer', async () => {
  const { admin, caller } = await startClients();
  const createBYOKKeyRequest = { provider: 'openai' as const, key: KEY, allowedApiKeyHashes: ['0'.repeat(64)] };
  const refused = await failureOf(admin.byok.create({ createBYOKKeyRequest }));
  expect(refused).toBeInstanceOf(errors.BadRequestResponseError);
  expect(String(refused)).toContain('allowed_api_key_hashes.0');
  expect(await failureOf(caller.byok.list())).toBeInstanceOf(errors.UnauthorizedResponseError);
});
