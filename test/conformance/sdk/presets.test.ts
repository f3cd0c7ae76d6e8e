import { OpenRouter } from '@openrouter/sdk';
import * as errors from '@openrouter/sdk/models/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { failureOf } from '../../support/async/failure-of.ts';
import { HOST_KINDS } from '../../support/conformance/hosts.ts';
import { type LocalConformance, startConformance } from '../../support/conformance/start-conformance.ts';
import { TEST_KEY, TEST_MANAGEMENT_KEY } from '../../support/gateways/test-gateway.ts';

// Every response is checked: the client refuses those that its schemas do not allow.
describe.each(HOST_KINDS)('the OpenRouter client that has presets on %s', (kind) => {
  let conformance: LocalConformance;
  let client: OpenRouter;

  const clientWith = (apiKey: string): OpenRouter =>
    new OpenRouter({ apiKey, serverURL: conformance.apiUrl, retryConfig: { strategy: 'none' } });
  const saveChat = (slug: string, more: object = {}) =>
    client.presets.createPresetsChatCompletions({
      slug,
      chatRequest: {
        model: 'test/text',
        temperature: 0.5,
        messages: [
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: 'Hi' },
        ],
        ...more,
      },
    });

  beforeAll(async () => {
    conformance = await startConformance(kind);
    client = clientWith(TEST_KEY);
  });
  afterAll(() => conformance.close());

  test('saves one, and its next version, which calls use from then on', async () => {
    const first = (await saveChat('kind')).data;
    expect(first).toMatchObject({
      slug: 'kind',
      name: 'kind',
      status: 'active',
      description: null,
      workspaceId: '00000000-0000-4000-8000-000000000000',
      statusUpdatedAt: null,
      designatedVersion: {
        version: 1,
        presetId: first.id,
        config: { model: 'test/text', temperature: 0.5 },
        systemPrompt: 'Be kind.',
      },
    });
    expect(Object.keys(first.designatedVersion?.config ?? {}).toSorted()).toEqual(['model', 'temperature']);
    const second = (await saveChat('kind', { temperature: 0.1, messages: [{ role: 'user', content: 'Hi' }] })).data;
    expect(second).toMatchObject({ id: first.id, designatedVersion: { version: 2, systemPrompt: null } });
    expect(second.designatedVersionId).toBe(second.designatedVersion?.id);
    expect((await client.presets.get({ slug: 'kind' })).data).toEqual(second);
    const { result } = await client.presets.listVersions({ slug: 'kind' });
    expect([result.totalCount, result.data.map((one) => one?.version)]).toEqual([2, [1, 2]]);
    expect((await client.presets.getVersion({ slug: 'kind', version: '1' })).data).toEqual(first.designatedVersion);
    const said = await client.chat.send({
      chatRequest: { model: '@preset/kind', messages: [{ role: 'user', content: 'Hi' }], stream: false },
    });
    const { id } = said as { id: string };
    expect((await client.generations.getGeneration({ id })).data.presetId).toBe(first.id);
  });

  test('saves the settings of messages and responses in one form', async () => {
    const messages = await client.presets.createPresetsMessages({
      slug: 'from-messages',
      messagesRequest: {
        model: 'test/text',
        maxTokens: 64,
        system: 'Be short.',
        stopSequences: ['END'],
        messages: [{ role: 'user', content: 'Hi' }],
        tools: [{ name: 'look', inputSchema: { type: 'object' } }],
      },
    });
    expect(messages.data.designatedVersion).toMatchObject({
      systemPrompt: 'Be short.',
      config: {
        model: 'test/text',
        max_tokens: 64,
        stop: ['END'],
        tools: [{ type: 'function', function: { name: 'look' } }],
      },
    });
    const responses = await client.presets.createPresetsResponses({
      slug: 'from-responses',
      responsesRequest: { model: 'test/text', instructions: 'Be long.', input: 'Hi', maxOutputTokens: 32 },
    });
    expect(responses.data.designatedVersion).toMatchObject({
      systemPrompt: 'Be long.',
      config: { model: 'test/text', max_tokens: 32 },
    });
    expect(JSON.stringify(responses.data.designatedVersion?.config)).not.toContain('Hi');
  });

  test('lists them page by page, the last changed first', async () => {
    for (const slug of ['one', 'two', 'three', 'one']) await saveChat(slug);
    const slugs: string[] = [];
    for await (const page of await client.presets.list({ limit: 2 })) {
      slugs.push(...page.result.data.map(({ slug }) => slug));
      expect(page.result.totalCount).toBeGreaterThanOrEqual(3);
    }
    expect(slugs.filter((slug) => ['one', 'two', 'three'].includes(slug))).toEqual(['one', 'three', 'two']);
  });

  test('is told what is not there, and what no preset can be', async () => {
    expect(await failureOf(client.presets.get({ slug: 'none' }))).toBeInstanceOf(errors.NotFoundResponseError);
    await saveChat('there');
    const noVersion = client.presets.getVersion({ slug: 'there', version: '9' });
    expect(await failureOf(noVersion)).toBeInstanceOf(errors.NotFoundResponseError);
    expect(await failureOf(saveChat('no slug'))).toBeInstanceOf(errors.BadRequestResponseError);
    expect(await failureOf(saveChat('x', { model: '@preset/there' }))).toBeInstanceOf(errors.BadRequestResponseError);
    expect(await failureOf(clientWith('sk-wrong').presets.list({}))).toBeInstanceOf(errors.UnauthorizedResponseError);
    expect((await clientWith(TEST_MANAGEMENT_KEY).presets.get({ slug: 'there' })).data.slug).toBe('there');
  });
});
