import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, inject, test } from 'vitest';

import { startComposed } from '../support/gateways/start-composed.ts';

/*
 * The gateway before llama.cpp with a model that this suite makes: a real engine, which counts tokens, obeys
 * grammars and streams as it likes. Nothing here is scripted.
 */

const engine = inject('realEngine');
const isMissing = 'missing' in engine;
const ENGINE_URL = isMissing ? '' : engine.url;
const KEY = 'sk-gw-v1-real';
const MANAGEMENT_KEY = 'sk-gw-v1-real-management';
const MESSAGES = [{ role: 'user' as const, content: 'Tell me of the gateway' }];
/** The same seed gives the same text: this model has one token of memory. */
const ASKED = { messages: MESSAGES, max_tokens: 40, seed: 7, temperature: 1 };

const PRICING = { prompt: '0.000001', completion: '0.000002' };

/** The engine under its own name, by discovery, and as the model of each of three wires; behind a dead endpoint, too. */
async function start() {
  const provider = (slug: string, facts: object) => ({ slug, apiKey: null, ...facts });
  const model = (name: string, ...providers: string[]) => ({
    id: `real/${name}`,
    context_length: 4096,
    endpoints: providers.map((slug) => ({ provider: slug, providerModel: 'bigrams', pricing: PRICING })),
  });
  const { apiUrl } = await startComposed({
    server: { port: 0 },
    store: { type: 'memory' },
    auth: { bootstrapKeys: [{ key: KEY }, { key: MANAGEMENT_KEY, kind: 'management' }] },
    providers: [
      provider('local', { preset: 'llama-cpp', baseUrl: `${ENGINE_URL}/v1`, discoverModels: true }),
      provider('messages', { wire: 'anthropic', baseUrl: `${ENGINE_URL}/v1` }),
      provider('responses', { wire: 'openai-responses', baseUrl: `${ENGINE_URL}/v1` }),
      provider('dead', { wire: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }),
    ],
    models: [
      model('chat', 'local'),
      model('messages', 'messages'),
      model('responses', 'responses'),
      model('fallback', 'dead', 'local'),
    ],
    routing: { order: ['dead', 'local'] },
  });
  const openai = new OpenAI({ apiKey: KEY, baseURL: apiUrl, maxRetries: 0 });
  const anthropic = new Anthropic({ apiKey: KEY, baseURL: apiUrl.replace('/v1', ''), maxRetries: 0 });
  return { openai, anthropic, apiUrl };
}

/** What the engine says when it is asked without a gateway. */
const direct = (): OpenAI => new OpenAI({ apiKey: 'none', baseURL: `${ENGINE_URL}/v1`, maxRetries: 0 });

const isBinding = !isMissing && engine.isBinding;
const NO_SERVER = 'the engine of npm is behind a server of this suite, which has chat completions alone';

const why = isMissing ? `, skipped: ${engine.missing}` : ` of ${engine.from}`;

describe.skipIf(isMissing)(`a real engine${why}`, { timeout: 60_000 }, () => {
  test('is found with its model and says the same through the gateway as without it', async () => {
    const { openai } = await start();
    const models = await openai.models.list();
    expect(models.data.map(({ id }) => id)).toContain('local/bigrams');
    const own = await direct().chat.completions.create({ ...ASKED, model: 'bigrams' });
    const ours = await openai.chat.completions.create({ ...ASKED, model: 'local/bigrams' });
    expect(own.choices[0]?.message.content?.length).toBeGreaterThan(5);
    expect(ours.choices[0]?.message.content).toBe(own.choices[0]?.message.content);
    expect(ours.choices[0]?.finish_reason).toBe(own.choices[0]?.finish_reason);
    expect(ours.usage?.prompt_tokens).toBe(own.usage?.prompt_tokens);
    expect(ours.usage?.completion_tokens).toBe(own.usage?.completion_tokens);
  });

  test('streams what it says whole, and is charged for the tokens that it counts', async () => {
    const { openai, apiUrl } = await start();
    const whole = await openai.chat.completions.create({ ...ASKED, model: 'real/chat' });
    const stream = await openai.chat.completions.create({ ...ASKED, model: 'real/chat', stream: true });
    let text = '';
    let usage: OpenAI.CompletionUsage | null | undefined;
    let id = '';
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
      id = chunk.id;
    }
    expect(text).toBe(whole.choices[0]?.message.content);
    expect(usage?.completion_tokens).toBe(whole.usage?.completion_tokens);
    const { data } = (await (
      await fetch(`${apiUrl}/generation?id=${id}`, { headers: { authorization: `Bearer ${KEY}` } })
    ).json()) as { data: { total_cost: number; tokens_prompt: number; tokens_completion: number } };
    expect(data.tokens_completion).toBe(usage?.completion_tokens);
    expect(data.total_cost).toBeCloseTo((data.tokens_prompt + 2 * data.tokens_completion) / 1e6, 12);
  });

  test('gives the probabilities of its tokens', async ({ skip }) => {
    skip(isBinding, NO_SERVER);
    const { openai } = await start();
    const { choices } = await openai.chat.completions.create({
      ...ASKED,
      model: 'real/chat',
      logprobs: true,
      top_logprobs: 3,
    });
    const tokens = choices[0]?.logprobs?.content ?? [];
    expect(tokens.map(({ token }) => token).join('')).toContain(choices[0]?.message.content ?? 'nothing');
    for (const { logprob, top_logprobs: top } of tokens) {
      expect(logprob).toBeLessThanOrEqual(0);
      expect(top).toHaveLength(3);
    }
  });

  test('is bound to a JSON schema by its grammar', async () => {
    const { openai } = await start();
    const { choices } = await openai.chat.completions.create({
      ...ASKED,
      max_tokens: 200,
      model: 'real/chat',
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'verdict',
          strict: true,
          schema: {
            type: 'object',
            properties: { kept: { type: 'boolean' }, word: { enum: ['gateway', 'model'] } },
            required: ['kept', 'word'],
            additionalProperties: false,
          },
        },
      },
    });
    const verdict = JSON.parse(choices[0]?.message.content ?? '') as { kept: unknown; word: unknown };
    expect(typeof verdict.kept).toBe('boolean');
    expect(['gateway', 'model']).toContain(verdict.word);
  });

  test('embeds a text in the numbers that it gives without a gateway', async ({ skip }) => {
    skip(isBinding, NO_SERVER);
    const { openai } = await start();
    const asked = { input: ['the gateway', 'a model'], encoding_format: 'float' as const };
    const own = await direct().embeddings.create({ ...asked, model: 'bigrams' });
    const ours = await openai.embeddings.create({ ...asked, model: 'real/chat' });
    expect(ours.data.map(({ embedding }) => embedding)).toEqual(own.data.map(({ embedding }) => embedding));
    expect(ours.data[0]?.embedding).toHaveLength(1024);
  });

  test.for(['real/chat', 'real/messages', 'real/responses'])(
    '%s answers in the formats of Anthropic and of the Responses API',
    async (model, { skip }) => {
      skip(isBinding && model !== 'real/chat', NO_SERVER);
      const { anthropic, openai } = await start();
      const message = await anthropic.messages.create({ model, max_tokens: 40, messages: MESSAGES });
      expect(message.content[0]).toMatchObject({ type: 'text', text: expect.stringMatching(/\w/) });
      expect(message.usage.input_tokens).toBeGreaterThan(0);
      let streamed = '';
      for await (const event of anthropic.messages.stream({ model, max_tokens: 40, messages: MESSAGES })) {
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') streamed += event.delta.text;
      }
      expect(streamed).toMatch(/\w/);
      const response = await openai.responses.create({ model, max_output_tokens: 40, input: 'Tell me of the gateway' });
      expect(response.output_text).toMatch(/\w/);
      expect(response.usage?.output_tokens).toBeGreaterThan(0);
    },
  );

  test('counts the same tokens of a prompt on all its wires', async ({ skip }) => {
    skip(isBinding, NO_SERVER);
    const { openai } = await start();
    const counts: (number | undefined)[] = [];
    for (const model of ['real/chat', 'real/messages', 'real/responses']) {
      const { usage } = await openai.chat.completions.create({ ...ASKED, model });
      counts.push(usage?.prompt_tokens);
    }
    expect(counts[0]).toBeGreaterThan(0);
    expect(new Set(counts).size).toBe(1);
  });

  test('takes over from an endpoint at which nobody listens', async () => {
    const { openai } = await start();
    const completion = await openai.chat.completions.create({ ...ASKED, model: 'real/fallback' });
    expect(completion.choices[0]?.message.content).toMatch(/\w/);
    expect((completion as { provider?: string }).provider).toBe('llama.cpp');
  });

  test('stops when a client leaves', async () => {
    const { openai } = await start();
    const abort = new AbortController();
    const stream = await openai.chat.completions.create(
      // Without the end of a turn it would go on for 4,000 tokens.
      { ...ASKED, max_tokens: 4000, model: 'real/chat', stream: true, logit_bias: { 2: -100, 5: -100 } },
      { signal: abort.signal },
    );
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content !== undefined) break;
    abort.abort();
    await expect.poll(countBusySlots, { timeout: 10_000 }).toBe(0);
  });

  test('serves 16 streams at once, each to its end and recorded once', async () => {
    const { openai, apiUrl } = await start();
    const texts = await Promise.all(
      Array.from({ length: 16 }, async (_, seed) => {
        const stream = await openai.chat.completions.create({ ...ASKED, seed, model: 'real/chat', stream: true });
        let [text, end] = ['', ''];
        for await (const { choices } of stream) {
          text += choices[0]?.delta.content ?? '';
          end = choices[0]?.finish_reason ?? end;
        }
        return { text, end };
      }),
    );
    expect(texts.every(({ text, end }) => text.length > 0 && (end === 'stop' || end === 'length'))).toBe(true);
    const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
    const response = await fetch(`${apiUrl.replace('/api/v1', '')}/admin/v1/generations?limit=100`, { headers });
    const { data } = (await response.json()) as { readonly data: readonly { readonly finish_reason: string }[] };
    expect(data.map(({ finish_reason: reason }) => reason).toSorted()).toEqual(texts.map(({ end }) => end).toSorted());
  });
});

async function countBusySlots(): Promise<number> {
  const slots = (await (await fetch(`${ENGINE_URL}/slots`)).json()) as readonly { is_processing: boolean }[];
  return slots.filter(({ is_processing: isBusy }) => isBusy).length;
}
