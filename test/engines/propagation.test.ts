import { test } from 'vitest';

import { ask } from './support/ask.ts';
import { openClusterConfig } from './support/cluster-config.ts';
import { missingEngines } from './support/engines.ts';
import { type Instance, startInstances } from './support/instances.ts';
import { tell } from './support/tell.ts';

/** That processes are told, and need not look, is in `tables.test.ts` and `notifications.test.ts`. */
const LIMIT_MS = 30_000;
const MODEL = 'test/text';

async function startFour(): Promise<readonly [Instance, ...Instance[]]> {
  const { config } = await openClusterConfig();
  return (await startInstances(4, () => config)) as [Instance, ...Instance[]];
}

/** Asks every instance again and again until it responds with this status; resolves with the times that it took. */
async function untilAll(instances: readonly Instance[], key: string, status: number): Promise<number[]> {
  const startedAt = performance.now();
  return Promise.all(
    instances.map(async ({ url }) => {
      for (;;) {
        const outcome = await ask(url, { key, model: MODEL, isStreamed: false });
        const ms = performance.now() - startedAt;
        if (outcome.status === status) return ms;
        if (ms > LIMIT_MS) throw new Error(`still ${outcome.status} ${outcome.text} and not ${status}`);
      }
    }),
  );
}

const describe = (times: readonly number[]): string => times.map((ms) => `${Math.round(ms)} ms`).join(', ');

test.skipIf(missingEngines)('a key that is revoked at one of four instances is refused by all of them', async () => {
  const instances = await startFour();
  const [first] = instances;
  const made = await first.call<{ key: string; data: { hash: string } }>('POST', '/api/v1/keys', { name: 'revoked' });
  tell(`a new key is known after ${describe(await untilAll(instances, made.key, 200))}`);
  await first.call('DELETE', `/api/v1/keys/${made.data.hash}`);
  tell(`revoked: refused after ${describe(await untilAll(instances, made.key, 401))}`);
});

test.skipIf(missingEngines)(
  'a guardrail that is changed at one of four instances is kept to by all of them',
  async () => {
    const instances = await startFour();
    const [first] = instances;
    const { key } = await first.call<{ key: string }>('POST', '/api/v1/keys', { name: 'guarded' });
    await untilAll(instances, key, 200);
    const { data } = await first.call<{ data: { default_guardrail_id: string }[] }>('GET', '/api/v1/workspaces');
    const guardrail = `/api/v1/guardrails/${data[0]?.default_guardrail_id}`;
    await first.call('PATCH', guardrail, {
      content_filters: [{ pattern: 'hello', action: 'block', label: 'greeting' }],
    });
    tell(`changed: refused after ${describe(await untilAll(instances, key, 403))}`);
    await first.call('PATCH', guardrail, { content_filters: [] });
    tell(`changed back: let through after ${describe(await untilAll(instances, key, 200))}`);
  },
);
