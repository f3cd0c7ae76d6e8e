import { createCohere } from '@ai-sdk/cohere';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createUndiciTransport } from '@model-gateway/node/undici';
import { OpenRouter } from '@openrouter/sdk';
import { rerank as rerankWithAiSdk } from 'ai';
import { describe, expect, onTestFinished, test } from 'vitest';

import { OPENAI_PRESETS } from '../../../packages/core/src/providers/openai/openai-presets.ts';
import { HOST_KINDS, type HostKind, startHost } from '../../support/conformance/hosts.ts';
import { createTestGateway, TEST_KEY } from '../../support/gateways/test-gateway.ts';
import { RANK_FORMS, type RankFormName, startRankUpstream } from '../../support/upstreams/rank-upstream.ts';

const FORMS = Object.keys(RANK_FORMS) as RankFormName[];
const DOCUMENTS = ['whale', { text: 'fox' }, 'car'];

/** Clients over a gateway whose provider is made from a preset, and has a server of its form. */
async function connect(kind: HostKind, form: RankFormName) {
  const transport = createUndiciTransport();
  const baseUrl = await startRankUpstream(form);
  const { dialect } = OPENAI_PRESETS[form];
  const up = createOpenAiProvider({ slug: 'up', name: 'Up', apiKey: 'key-of-up', baseUrl, dialect, transport });
  const { gateway, nextRecord, close } = createTestGateway(
    { baseUrl },
    {
      providers: [up],
      models: [
        {
          id: 'test/ranker',
          architecture: { input_modalities: ['text', 'image'], output_modalities: ['rerank'] },
          endpoints: [
            {
              provider: 'up',
              providerModel: 'ranker',
              pricing: form === 'cohere' ? { search_unit: '0.002' } : { prompt: '0.000001' },
            },
          ],
        },
      ],
    },
  );
  const host = await startHost(kind, gateway);
  onTestFinished(async () => {
    await host.close();
    await close();
    await transport.close();
  });
  const { rerank } = new OpenRouter({ apiKey: TEST_KEY, serverURL: host.apiUrl, retryConfig: { strategy: 'none' } });
  const rank = (rest: object = {}) =>
    rerank.rerank({ requestBody: { model: 'test/ranker', query: 'snow', documents: DOCUMENTS, ...rest } });
  const cohere = createCohere({ apiKey: TEST_KEY, baseURL: host.apiUrl });
  return { rank, cohere, nextRecord };
}

describe.each(HOST_KINDS)('rankings for the official client on %s', (kind) => {
  test.each(FORMS)('come from a server of the form of %s, with usage and cost', async (form) => {
    const { rank, nextRecord } = await connect(kind, form);
    const recorded = nextRecord();
    const ranking = await rank();
    expect(ranking).toMatchObject({
      model: 'test/ranker',
      provider: 'Up',
      results: [
        { index: 1, relevanceScore: 0.9, document: { text: 'fox' } },
        { index: 0, relevanceScore: 0.2, document: { text: 'whale' } },
        { index: 2, relevanceScore: 0.1, document: { text: 'car' } },
      ],
      usage: form === 'cohere' ? { searchUnits: 1, cost: 0.002 } : { totalTokens: 26, cost: 0.000026 },
    });
    expect((await recorded).generation).toMatchObject({
      api_type: 'rerank',
      total_cost: form === 'cohere' ? 0.002 : 0.000026,
    });
    expect(await rank({ topN: 1 })).toMatchObject({ results: [{ index: 1 }] });
  });
});

describe.each(HOST_KINDS)('rankings for the AI SDK on %s', (kind) => {
  test('come through the provider of Cohere, best first', async () => {
    const { cohere, nextRecord } = await connect(kind, 'cohere');
    const recorded = nextRecord();
    const { ranking, rerankedDocuments } = await rerankWithAiSdk({
      model: cohere.reranking('test/ranker'),
      query: 'snow',
      documents: ['whale', 'fox', 'car'],
      topN: 2,
      maxRetries: 0,
    });
    expect(ranking).toEqual([
      { originalIndex: 1, score: 0.9, document: 'fox' },
      { originalIndex: 0, score: 0.2, document: 'whale' },
    ]);
    expect(rerankedDocuments).toEqual(['fox', 'whale']);
    expect((await recorded).generation).toMatchObject({ api_type: 'rerank', total_cost: 0.002 });
  });

  test('are refused with the words of the provider', async () => {
    const { cohere } = await connect(kind, 'cohere');
    const asked = rerankWithAiSdk({
      model: cohere.reranking('test/none'),
      query: 'snow',
      documents: ['whale'],
      maxRetries: 0,
    });
    await expect(asked).rejects.toMatchObject({ statusCode: 400 });
  });
});

test.each(FORMS)('a refusal by a server of the form of %s is told in its words', async (form) => {
  const { rank } = await connect('node', form);
  await expect(rank({ documents: [{ image: 'https://example.com/fox.png' }] })).rejects.toMatchObject({
    statusCode: 400,
    body: expect.stringContaining('documents must be texts'),
  });
});

test.each([
  ['cohere', 'request'],
  ['voyage', 'prompt'],
] as const)('a bound on the price holds at %s by %s', async (form, unit) => {
  const { rank } = await connect('node', form);
  await expect(rank({ provider: { maxPrice: { [unit]: '0.0001' } } })).rejects.toMatchObject({ statusCode: 404 });
  expect(await rank({ provider: { maxPrice: { [unit]: '1' } } })).toMatchObject({ provider: 'Up' });
});
