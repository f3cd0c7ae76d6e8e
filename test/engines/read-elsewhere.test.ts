import { expect, test } from 'vitest';

import { ask } from './support/ask.ts';
import { openClusterConfig } from './support/cluster-config.ts';
import { missingEngines } from './support/engines.ts';
import { type Instance, startInstances } from './support/instances.ts';

const MODEL = 'test/text';

interface Made {
  readonly key: string;
  readonly data: { readonly id: string; readonly hash: string };
}

/** Two instances that hear of each other's changes half a second late, unless a request looks for them. */
async function startDeafPair(): Promise<readonly [Instance, Instance]> {
  const { config } = await openClusterConfig();
  const { store } = config as { store: object };
  const deaf = { ...config, store: { ...store, notifications: 'poll' } };
  return (await startInstances(2, () => deaf)) as [Instance, Instance];
}

test.skipIf(missingEngines)(
  'what was made, changed or deleted at one instance is so at once at another one',
  async () => {
    const [one, other] = await startDeafPair();
    for (const round of [1, 2, 3]) {
      const { key, data } = await one.call<Made>('POST', '/api/v1/keys', { name: `key ${round}` });
      expect((await ask(other.url, { key, model: MODEL, isStreamed: false })).status).toBe(200);
      await one.call('PATCH', `/api/v1/keys/${data.hash}`, { name: `changed ${round}` });
      expect(await other.call('GET', `/api/v1/keys/${data.hash}`)).toMatchObject({
        data: { name: `changed ${round}` },
      });
      await one.call('PATCH', `/api/v1/keys/${data.hash}`, { limit: round });
      expect(await other.call('GET', '/api/v1/key', undefined, key)).toMatchObject({ data: { limit: round } });
      const guardrail = await one.call<Made>('POST', '/api/v1/guardrails', { name: `guardrail ${round}` });
      const assignments = `/api/v1/guardrails/${guardrail.data.id}/assignments/keys`;
      await other.call('POST', assignments, { key_hashes: [data.hash] });
      expect(await one.call('GET', assignments)).toMatchObject({ data: [{ key_hash: data.hash }] });
      const workspace = { name: `space ${round}`, slug: `space-${round}` };
      const { data: made } = await one.call<Made>('POST', '/api/v1/workspaces', workspace);
      await other.call('POST', '/api/v1/keys', { name: 'inside', workspace_id: made.id });
      const endpoint = { provider: 'scripted', providerModel: 'm', pricing: { prompt: '0', completion: '0' } };
      await one.call('POST', '/admin/v1/setup/models', { id: `made/${round}`, endpoints: [endpoint] });
      expect(await other.call('GET', `/api/v1/model/made/${round}`)).toMatchObject({ data: { id: `made/${round}` } });
      await one.call('DELETE', `/api/v1/keys/${data.hash}`);
      await expect(other.call('GET', `/api/v1/keys/${data.hash}`)).rejects.toThrow('404');
    }
  },
);

test.skipIf(missingEngines)('a generation is read at another instance right after its response', async () => {
  const { config } = await openClusterConfig();
  const [one, other] = (await startInstances(2, () => config)) as [Instance, Instance];
  const { key } = await one.call<Made>('POST', '/api/v1/keys', { name: 'reader' });
  for (const isStreamed of [false, true, false, true]) {
    const { id } = await ask(one.url, { key, model: MODEL, isStreamed });
    expect(await other.call('GET', `/api/v1/generation?id=${id}`, undefined, key)).toMatchObject({ data: { id } });
  }
});

test.skipIf(missingEngines)('a response is continued and deleted at another instance at once', async () => {
  const { config } = await openClusterConfig();
  const [one, other] = (await startInstances(2, () => config)) as [Instance, Instance];
  const { key } = await one.call<Made>('POST', '/api/v1/keys', { name: 'talker' });
  let previous: string | null = null;
  for (const [turn, instance] of [one, other, one, other].entries()) {
    const body: object = { model: MODEL, input: `turn ${turn}`, previous_response_id: previous };
    previous = (await instance.call<{ readonly id: string }>('POST', '/api/v1/responses', body, key)).id;
  }
  const path = `/api/v1/responses/${previous}`;
  const { data } = await one.call<{ readonly data: object }>('GET', `${path}/input_items?order=asc`, undefined, key);
  for (const turn of [0, 1, 2, 3]) expect(JSON.stringify(data)).toContain(`turn ${turn}`);
  await one.call('DELETE', path, undefined, key);
  await expect(other.call('GET', path, undefined, key)).rejects.toThrow('404');
});
