import { expect, test } from 'vitest';

import { createScriptedTransport } from '../../../../../test/support/upstreams/scripted-transport.ts';
import { PRESETS } from '../provider-presets.ts';
import { createOpenAiProvider } from './openai-provider.ts';

/** The models that a server of a preset lists whose paths respond with these bodies; others with 404. */
async function listOf(name: 'ollama' | 'lmstudio' | 'llama-cpp', bodies: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  const transport = createScriptedTransport((exchange) => {
    const { method, url } = exchange.request;
    const { pathname } = new URL(url);
    const key = method === 'POST' ? `${pathname} ${String(exchange.sent['model'])}` : pathname;
    asked.push(key);
    exchange.respond(key in bodies ? 200 : 404, { 'content-type': 'application/json' });
    exchange.push(JSON.stringify(bodies[key] ?? { error: 'not found' }));
    exchange.end();
  });
  const preset = PRESETS[name];
  if (preset?.wire !== 'openai' || preset.baseUrl === null) throw new Error(`${name} has no address`);
  const { baseUrl, dialect } = preset;
  const provider = createOpenAiProvider({ slug: name, name, baseUrl, dialect, transport });
  const models = (await provider.listModels?.(new AbortController().signal)) ?? [];
  return { models, asked };
}

test('asks Ollama for the abilities of each model', async () => {
  const { models } = await listOf('ollama', {
    '/v1/models': { data: [{ id: 'sees' }, { id: 'thinks' }, { id: 'vectors' }, { id: 'old' }] },
    '/api/show sees': { capabilities: ['completion', 'vision'], model_info: { 'llama.context_length': 131072 } },
    '/api/show thinks': { capabilities: ['completion', 'tools', 'thinking'] },
    '/api/show vectors': { capabilities: ['embedding'], model_info: { 'bert.context_length': 512 } },
  });
  const [sees, thinks, vectors, old] = models;
  expect(sees).toMatchObject({ contextLength: 131072, inputModalities: ['text', 'image'], outputModalities: ['text'] });
  expect(sees?.supportedParameters).not.toContain('tools');
  expect(thinks?.supportedParameters).toEqual(expect.arrayContaining(['tools', 'tool_choice', 'reasoning', 'top_k']));
  expect(vectors).toEqual({ id: 'vectors', contextLength: 512, outputModalities: ['embeddings'] });
  expect(old).toEqual({ id: 'old' });
});

test('reads LM Studio’s own list beside that of OpenAI’s form', async () => {
  const { models } = await listOf('lmstudio', {
    '/v1/models': { data: [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'unlisted' }] },
    '/api/v0/models': {
      data: [
        { id: 'a', type: 'vlm', max_context_length: 32768, capabilities: ['tool_use'] },
        { id: 'b', type: 'llm', max_context_length: 4096, capabilities: [] },
        { id: 'c', type: 'embeddings', max_context_length: 2048 },
      ],
    },
  });
  expect(models).toEqual([
    { id: 'a', contextLength: 32768, outputModalities: ['text'], callsTools: true, readsImages: true },
    { id: 'b', contextLength: 4096, outputModalities: ['text'], callsTools: false, readsImages: false },
    { id: 'c', contextLength: 2048, outputModalities: ['embeddings'] },
    { id: 'unlisted' },
  ]);
});

test('reads the context and the inputs that llama.cpp was started with', async () => {
  const props = {
    default_generation_settings: { n_ctx: 8192 },
    modalities: { vision: true, audio: false },
    chat_template_caps: { supports_tool_calls: true },
  };
  const list = { data: [{ id: 'gemma.gguf', meta: { n_ctx_train: 131072 } }] };
  const { models } = await listOf('llama-cpp', { '/v1/models': list, '/props': props });
  expect(models).toEqual([
    { id: 'gemma.gguf', contextLength: 8192, inputModalities: ['text', 'image'], callsTools: true },
  ]);
});

test('a llama.cpp that routes to several models is asked for none of them', async () => {
  const { models, asked } = await listOf('llama-cpp', { '/v1/models': { data: [{ id: 'a' }, { id: 'b' }] } });
  expect(models).toEqual([{ id: 'a' }, { id: 'b' }]);
  expect(asked).toEqual(['/v1/models']);
});

test.each(['ollama', 'lmstudio', 'llama-cpp'] as const)(
  'the list alone counts where %s has nothing else',
  async (name) => {
    const { models } = await listOf(name, { '/v1/models': { data: [{ id: 'a' }] } });
    expect(models).toEqual([{ id: 'a' }]);
  },
);
