import { PRESETS } from '@model-gateway/core/providers/presets';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { listen, loadConfig } from '@model-gateway/node';
import { expect, onTestFinished } from 'vitest';

import { compose } from '../../../packages/server/src/serve/compose.ts';
import { startScriptedUpstream } from '../upstreams/scripted-upstream.ts';
import { writeTestConfig } from './write-test-config.ts';

const KEY = 'sk-canary-api-0123456789';
/** The key of the gateway's administration. */
export const CANARY_MANAGEMENT_KEY = 'sk-canary-management-0123456789';
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * A gateway that has served six calls in four formats, streamed and whole, of which two ask the same, and more at paths of
 * its root. Resolves with the address of its API; closed when the test ends.
 */
export async function startWithCalls(more: readonly (readonly [path: string, body: object])[] = []): Promise<string> {
  const upstream = await startScriptedUpstream();
  onTestFinished(() => upstream.close());
  const file = writeTestConfig({
    auth: {
      bootstrapKeys: [
        { key: KEY, kind: 'api', name: 'test' },
        { key: CANARY_MANAGEMENT_KEY, kind: 'management', name: 'admin' },
      ],
    },
    store: { type: 'memory' },
    providers: [{ slug: 'acme', wire: 'openai', baseUrl: upstream.baseUrl, apiKey: 'sk-canary-provider-0123456789' }],
    models: [{ id: 'acme/one', endpoints: [{ provider: 'acme', providerModel: 'gpt-4o-mini' }] }],
  });
  const config = loadConfig({ file, env: {}, presets: PRESETS });
  const about = { config, store: createMemoryStore(), logger, extraKeys: [], demoFixturesDir: null };
  const { gateway, closeAfterwards } = await compose(about);
  const listener = await listen(gateway, { port: 0, logger });
  onTestFinished(async () => {
    await gateway.close();
    await listener.close();
    for (const part of closeAfterwards) await part.close();
  });
  const api = `${listener.url}/api/v1`;
  const text = 'Write to jane.doe@example.com, or call +1 (212) 555-0123';
  const messages = [{ role: 'user', content: text }];
  const bodies: readonly (readonly [string, object])[] = [
    ['/chat/completions', { messages, temperature: 0.3 }],
    ['/chat/completions', { messages, stream: true }],
    ['/messages', { messages, max_tokens: 50, stream: true }],
    // The same question again: its case responds to both.
    ['/messages', { messages, max_tokens: 50 }],
    ['/responses', { input: text, stream: true }],
    ['/completions', { prompt: text }],
  ];
  for (const [path, body] of [...bodies, ...more]) {
    const response = await fetch(path.startsWith('/api') || path.startsWith('/v1') ? listener.url + path : api + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'acme/one', ...body }),
    });
    expect([path, response.status]).toEqual([path, 200]);
    await response.text();
  }
  return api;
}
