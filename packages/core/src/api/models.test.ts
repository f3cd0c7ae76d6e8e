import { expect, test } from 'vitest';

import { API_KEY, createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createRoutedGateway, endpointsAt } from '../../../../test/support/gateways/routed-gateway.ts';
import { createScriptedVideos } from '../../../../test/support/videos/scripted-videos.ts';
import type { AccountOptions } from '../account/account.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';

const FILM: ModelDefinition = {
  id: 'r/film',
  architecture: { input_modalities: ['text'], output_modalities: ['video'] },
  endpoints: [{ provider: 'film', providerModel: 'film-1' }],
};

test.each<[AccountOptions, string[]]>([
  [{}, ['r/film']],
  [{ providers: { ignore: ['film'] } }, []],
  [{ providers: { only: ['film'] } }, ['r/film']],
  [{ privacy: { zdr: true } }, []],
])('an account of %j can make videos of %j', async (account, expected) => {
  const { get } = createCoreGateway([createScriptedVideos().provider], { models: [FILM], account });
  const { data } = jsonOf(await get('/api/v1/models/user?output_modalities=video'));
  expect((data as { id: string }[]).map(({ id }) => id)).toEqual(expected);
});

test('lists tier endpoints as usable, but no expired models', async () => {
  const models: ModelDefinition[] = [
    { id: 'r/old', expiration_date: '2020-01-01', endpoints: endpointsAt({ one: 1 }) },
    { id: 'r/flex', endpoints: endpointsAt({ one: 1 }, { tag: 'one/flex' }) },
    { id: 'r/chat', endpoints: endpointsAt({ one: 1 }) },
  ];
  const { get, ask } = createRoutedGateway({ one: {} }, models);
  const { data } = jsonOf(await get('/api/v1/models/user'));
  expect((data as { id: string }[]).map(({ id }) => id)).toEqual(['r/flex', 'r/chat']);
  expect((await ask({ model: 'r/old' })).status).toBe(404);
  expect((await ask({ model: 'r/flex', service_tier: 'flex' })).status).toBe(200);
});

test('lists what settings of the account and guardrails of the key leave together', async () => {
  const ids = ['one', 'two', 'three'];
  const { get, post, gateway } = createRoutedGateway(
    { one: {}, two: {}, three: {} },
    ids.map((slug) => ({ id: `r/${slug}`, endpoints: endpointsAt({ [slug]: 1 }) })),
    { account: { providers: { ignore: ['one'] } } },
  );
  const authorization = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const created = jsonOf(await post('/api/v1/keys', { name: 'narrow' }, { headers: authorization }));
  const { hash } = created['data'] as { hash: string };
  const guardrail = jsonOf(
    await post('/api/v1/guardrails', { name: 'g', ignored_providers: ['two'] }, { headers: authorization }),
  )['data'] as { id: string };
  await post(`/api/v1/guardrails/${guardrail.id}/assignments/keys`, { key_hashes: [hash] }, { headers: authorization });
  const usableBy = async (key: string): Promise<string[]> =>
    (jsonOf(await get('/api/v1/models/user', key))['data'] as { id: string }[]).map(({ id }) => id);
  expect(await usableBy(created['key'] as string)).toEqual(['r/three']);
  expect(await usableBy(API_KEY)).toEqual(['r/two', 'r/three']);
  await gateway.close();
});

test('counts under a regional host what is listed there', async () => {
  const { post, gateway } = createRoutedGateway(
    { one: { region: 'eu' }, two: {} },
    ['one', 'two'].map((slug) => ({ id: `r/${slug}`, endpoints: endpointsAt({ [slug]: 1 }) })),
    { regions: [{ name: 'eu', hosts: ['eu.example'] }] },
  );
  const countAt = async (host: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${API_KEY}`, host };
    return jsonOf(await post('/api/v1/models/count', undefined, { method: 'GET', headers }))['data'];
  };
  expect(await countAt('eu.example')).toEqual({ count: 1 });
  expect(await countAt('example')).toEqual({ count: 2 });
  await gateway.close();
});

test('lists models as a feed, with links to their details or to the playground', async () => {
  const models: ModelDefinition[] = [
    { id: 'r/new', name: 'New & <fast>', created: 1_700_000_000, endpoints: endpointsAt({ one: 1 }) },
    { id: 'r/old', endpoints: endpointsAt({ one: 1 }) },
  ];
  const { get } = createRoutedGateway({ one: {} }, models);
  const { status, headers, body } = await get('/api/v1/models?use_rss=true');
  expect([status, headers['content-type']]).toEqual([200, 'application/rss+xml; charset=utf-8']);
  const items = (body as string).match(/<item>.*<\/item>/g);
  expect(items).toEqual([
    expect.stringContaining('<title>New &amp; &lt;fast&gt;</title><link>https://gateway.example/api/v1/models/r/new/'),
    expect.not.stringContaining('pubDate'),
  ]);
  expect(items?.[0]).toContain('<pubDate>Tue, 14 Nov 2023 22:13:20 GMT</pubDate>');
  const chat = await get('/api/v1/models?use_rss=true&use_rss_chat_links=true');
  expect(chat.body).toContain('<link>https://gateway.example/playground?models=r%2Fnew</link>');
});

test('shows the model behind an alias, how it reasons, and where its weights are', async () => {
  const reasoning = { mandatory: true, supported_efforts: ['high', 'low'] };
  const models: ModelDefinition[] = [
    {
      id: 'r/thinker',
      name: 'Thinker',
      aliases: ['fast'],
      reasoning,
      hugging_face_id: 'r/weights',
      benchmarks: { intelligence_index: 70 },
      endpoints: endpointsAt({ one: 1 }),
    },
  ];
  const { get } = createRoutedGateway({ one: {} }, models);
  const { data } = jsonOf(await get('/api/v1/model/r/thinker'));
  expect(data).toMatchObject({ reasoning, hugging_face_id: 'r/weights', pricing: { discount: 0 } });
  expect(data).toMatchObject({ benchmarks: { artificial_analysis: { intelligence_index: 70, coding_index: null } } });
  expect(data).not.toHaveProperty('alias_target');
  const named = jsonOf(await get('/api/v1/models/fast'));
  expect(named).toMatchObject({ id: 'r/thinker', alias_target: { slug: 'r/thinker', name: 'Thinker' } });
});

test('lists the endpoints of every name that a call may use', async () => {
  const { get } = createRoutedGateway({ one: {} }, [
    { id: 'r/chat', canonical_slug: 'r/chat-2026', endpoints: endpointsAt({ one: 1 }) },
  ]);
  for (const name of ['r/chat', 'r/chat-2026', 'r/chat:nitro', 'r/chat:floor']) {
    const response = await get(`/api/v1/models/${name}/endpoints`);
    expect([name, response.status, jsonOf(response)]).toMatchObject([name, 200, { data: { id: 'r/chat' } }]);
  }
  expect((await get('/api/v1/models/r/nothing:nitro/endpoints')).status).toBe(404);
});
