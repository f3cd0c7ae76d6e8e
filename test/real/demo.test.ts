import { fileURLToPath } from 'node:url';

import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { DEMO_KEY, listen } from '@model-gateway/node';
import OpenAI from 'openai';
import { describe, expect, inject, onTestFinished, test } from 'vitest';

import { compose } from '../../packages/server/src/serve/compose.ts';
import { planStart } from '../../packages/server/src/serve/plan-start.ts';

const engine = inject('realEngine');
const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url));
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function startDemo(demoEngine: { readonly url: string }): Promise<OpenAI> {
  const flags = { config: undefined, dataDir: undefined, host: undefined, port: 0, fixtures: undefined };
  const { config } = planStart({ ...flags, demo: true, real: true }, {});
  const parts = { config, store: createMemoryStore(), logger, extraKeys: [], demoFixturesDir: FIXTURES, demoEngine };
  const { gateway, closeAfterwards } = await compose(parts);
  const listener = await listen(gateway, { port: 0, logger });
  onTestFinished(async () => {
    await gateway.close();
    await listener.close();
    for (const part of closeAfterwards) await part.close();
  });
  return new OpenAI({ apiKey: DEMO_KEY, baseURL: `${listener.url}/api/v1`, maxRetries: 0 });
}

const why = 'missing' in engine ? `, skipped: ${engine.missing}` : '';

describe.skipIf('missing' in engine)(`the demo with --real${why}`, { timeout: 60_000 }, () => {
  test('streams from the engine, with the tokens that the engine counts', async () => {
    if ('missing' in engine) return;
    const client = await startDemo(engine);
    const asked = {
      messages: [{ role: 'user' as const, content: 'Tell me' }],
      max_tokens: 20,
      seed: 7,
      temperature: 1,
    };
    const direct = new OpenAI({ apiKey: 'none', baseURL: `${engine.url}/v1`, maxRetries: 0 });
    const own = await direct.chat.completions.create({ ...asked, model: 'bigrams' });
    let [text, pieces] = ['', 0];
    let usage: OpenAI.CompletionUsage | null | undefined;
    const stream = await client.chat.completions.create({ ...asked, model: 'demo/reasoner', stream: true });
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      pieces += 1;
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe(own.choices[0]?.message.content);
    expect(pieces).toBeGreaterThan(3);
    expect(usage?.prompt_tokens).toBe(own.usage?.prompt_tokens);
    expect(usage?.completion_tokens).toBe(own.usage?.completion_tokens);

    // Without a seed it says something else each time.
    const { seed: _, ...unseeded } = asked;
    const texts = new Set<unknown>();
    for (let time = 0; time < 4; time += 1) {
      const { choices } = await client.chat.completions.create({ ...unseeded, model: 'demo/reasoner' });
      texts.add(choices[0]?.message.content);
    }
    expect(texts.size).toBeGreaterThan(1);
  });
});
