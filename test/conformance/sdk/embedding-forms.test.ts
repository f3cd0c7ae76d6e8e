import { OpenAIEmbeddings } from '@langchain/openai';
import { OpenAIEmbedding } from '@llamaindex/openai';
import { createGoogleProvider } from '@model-gateway/core/providers/google';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createUndiciTransport } from '@model-gateway/node/undici';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { OpenRouter } from '@openrouter/sdk';
import { embedMany } from 'ai';
import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';

import { OPENAI_PRESETS } from '../../../packages/core/src/providers/openai/openai-presets.ts';
import { HOST_KINDS, type HostKind, startHost } from '../../support/conformance/hosts.ts';
import { createTestGateway, TEST_KEY } from '../../support/gateways/test-gateway.ts';
import {
  EMBED_FORMS,
  type EmbedFormName,
  startEmbedUpstream,
  vectorOf,
} from '../../support/upstreams/embed-upstream.ts';

const FORMS = Object.keys(EMBED_FORMS) as EmbedFormName[];

/** A gateway over a server of the form of a provider, and clients of it. */
async function connect(kind: HostKind, form: EmbedFormName) {
  const transport = createUndiciTransport();
  const upstream = await startEmbedUpstream(form);
  const options = { slug: 'up', name: 'Up', apiKey: 'key-of-up', baseUrl: upstream.baseUrl, transport };
  const provider =
    form === 'google'
      ? createGoogleProvider(options)
      : createOpenAiProvider({ ...options, dialect: OPENAI_PRESETS[form].dialect });
  const { gateway, nextRecord, close } = createTestGateway(upstream, {
    providers: [provider],
    models: [
      {
        id: 'test/vectors',
        architecture: { input_modalities: ['text', 'image'], output_modalities: ['embeddings'] },
        endpoints: [{ provider: 'up', providerModel: 'vectors', pricing: { prompt: '0.000001' } }],
      },
    ],
  });
  const host = await startHost(kind, gateway);
  onTestFinished(async () => {
    await host.close();
    await close();
    await transport.close();
  });
  const { apiUrl } = host;
  return {
    ...upstream,
    apiUrl,
    nextRecord,
    openai: new OpenAI({ apiKey: TEST_KEY, baseURL: apiUrl, maxRetries: 0 }),
    sdk: new OpenRouter({ apiKey: TEST_KEY, serverURL: apiUrl, retryConfig: { strategy: 'none' } }),
    aiSdk: createOpenRouter({ apiKey: TEST_KEY, baseURL: apiUrl }),
  };
}

describe.each(FORMS)('embeddings over the form of %s', (form) => {
  test('are the same numbers for every client and encoding, with usage, cost and record', async () => {
    const { openai, sdk, aiSdk, nextRecord } = await connect('node', form);
    const input = ['one', 'three'];
    const vectors = input.map(vectorOf);
    for (const encoding_format of [undefined, 'float', 'base64'] as const) {
      const recorded = nextRecord();
      const { data, usage } = await openai.embeddings.create({
        model: 'test/vectors',
        input,
        ...(encoding_format && { encoding_format }),
      });
      expect(data.map(({ embedding }) => (typeof embedding === 'string' ? fromBase64(embedding) : embedding))).toEqual(
        vectors,
      );
      expect(usage).toMatchObject({ prompt_tokens: 5, total_tokens: 5, cost: 0.000005, is_byok: false });
      expect((await recorded).generation).toMatchObject({ api_type: 'embeddings', total_cost: 0.000005 });
    }
    expect(await sdk.embeddings.generate({ requestBody: { model: 'test/vectors', input } })).toMatchObject({
      data: vectors.map((embedding) => ({ embedding })),
      usage: { promptTokens: 5, cost: 0.000005 },
    });
    const many = await embedMany({ model: aiSdk.textEmbeddingModel('test/vectors'), values: input, maxRetries: 0 });
    expect(many.embeddings).toEqual(vectors);
  });

  test('take dimensions, and a purpose where the provider has a word for it', async () => {
    const { sdk, bodies } = await connect('node', form);
    const requestBody = { model: 'test/vectors', input: ['one', 'two'], dimensions: 2, inputType: 'search_query' };
    await sdk.embeddings.generate({ requestBody });
    expect(bodies[0]).toMatchObject(
      {
        openai: { dimensions: 2 },
        ollama: { dimensions: 2 },
        mistral: { output_dimension: 2 },
        voyage: { output_dimension: 2, input_type: 'query' },
        jina: { dimensions: 2, task: 'retrieval.query' },
        cohere: { output_dimension: 2, input_type: 'search_query' },
        google: { requests: [{ taskType: 'RETRIEVAL_QUERY', outputDimensionality: 2 }, {}] },
      }[form],
    );
  });
});

describe.each(HOST_KINDS)('embeddings for the public clients on %s', (kind) => {
  test('2,048 inputs come back in order, exact to the bit', async () => {
    const { openai } = await connect(kind, 'openai');
    const input = Array.from({ length: 2048 }, (_, index) => 'x'.repeat(1 + (index % 97)));
    const { data } = await openai.embeddings.create({ model: 'test/vectors', input });
    expect(data.map(({ embedding }) => embedding)).toEqual(input.map(vectorOf));
  });

  test('come through the AI SDK, LangChain and LlamaIndex in the order of their texts', async () => {
    const { apiUrl, aiSdk } = await connect(kind, 'openai');
    const model = 'test/vectors';
    const texts = ['one', 'three', 'eleven'];
    const vectors = texts.map(vectorOf);
    const many = await embedMany({ model: aiSdk.textEmbeddingModel(model), values: texts, maxRetries: 0 });
    expect(many.embeddings).toEqual(vectors);
    expect(many.usage.tokens).toBeGreaterThan(0);

    const options = { model, apiKey: TEST_KEY, maxRetries: 0 };
    const langChain = new OpenAIEmbeddings({ ...options, configuration: { baseURL: apiUrl } });
    expect(await langChain.embedDocuments(texts)).toEqual(vectors);
    expect(await langChain.embedQuery('three')).toEqual(vectors[1]);

    const llamaIndex = new OpenAIEmbedding({ ...options, baseURL: apiUrl });
    expect(await llamaIndex.getTextEmbeddings(texts)).toEqual(vectors);
  });

  test('their models are a list of their own, page by page', async () => {
    const { sdk } = await connect(kind, 'openai');
    const found = [];
    for await (const page of await sdk.embeddings.listModels({ limit: 1 })) found.push(...page.result.data);
    expect(found).toMatchObject([{ id: 'test/vectors' }]);
  });
});

test.each(['cohere', 'google'] as const)('images go to %s beside texts, and tokens are refused', async (form) => {
  const { sdk, openai, bodies } = await connect('node', form);
  const url = 'data:image/png;base64,AAAA';
  const parts = {
    content: [
      { type: 'text' as const, text: 'a fox' },
      { type: 'image_url' as const, imageUrl: { url } },
    ],
  };
  await sdk.embeddings.generate({ requestBody: { model: 'test/vectors', input: [parts, parts] } });
  const sent = JSON.stringify(bodies[0]);
  expect(sent).toContain('a fox');
  expect(sent).toContain(form === 'google' ? '"data":"AAAA"' : url);
  await expect(openai.embeddings.create({ model: 'test/vectors', input: [[1, 2]] })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('tokens'),
  });
});

function fromBase64(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: bytes.byteLength / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
