import { expect, test } from 'vitest';

import { API_KEY, createCoreGateway, jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { createScriptedVideos } from '../../../../test/support/videos/scripted-videos.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';

const FILM: ModelDefinition = {
  id: 'acme/film',
  architecture: { input_modalities: ['text'], output_modalities: ['video'] },
  endpoints: [
    { provider: 'film', providerModel: 'film-us', tag: 'us', region: 'us' },
    { provider: 'film', providerModel: 'film-eu', tag: 'eu', region: 'eu' },
  ],
};
const REGIONS = ['eu', 'asia'].map((name) => ({ name, hosts: [`${name}.example`] }));

test.each([
  ['eu.example', ['film-eu'], undefined, 'europe'],
  ['gateway.example', ['film-us'], 'a fox', 'global'],
])('makes a video requested under %s at %j, and stores %s of its prompt', async (host, models, prompt, region) => {
  const film = createScriptedVideos();
  const { post, get, store, platform } = createCoreGateway([film.provider], { models: [FILM], regions: REGIONS });
  const headers = { authorization: `Bearer ${API_KEY}`, host };
  const request = { model: 'acme/film', prompt: 'a fox', provider: { sort: 'price' } };
  const submitted = await post('/api/v1/videos', request, { headers });
  expect(submitted.status).toBe(202);
  expect(film.starts.map(({ providerModel }) => providerModel)).toEqual(models);
  expect(film.starts[0]?.order.prompt).toBe('a fox');

  const { id } = jsonOf(submitted) as { id: string };
  expect((await store.videoJobs.get(id))?.order.prompt).toBe(prompt);
  await platform.advance(20_000);
  const ended = jsonOf(await get(`/api/v1/videos/${id}`));
  expect(ended).toMatchObject({ status: 'completed' });
  const [appended] = store.appended;
  const { data_region, called_region } = appended?.record.generation ?? {};
  expect([data_region, called_region]).toEqual([region, host === 'eu.example' ? 'eu' : undefined]);
  expect(appended?.content?.input).toEqual(prompt && { prompt });
});

test('makes no video where the region of the host has no endpoint', async () => {
  const film = createScriptedVideos();
  const { post } = createCoreGateway([film.provider], { models: [FILM], regions: REGIONS });
  const headers = { authorization: `Bearer ${API_KEY}`, host: 'asia.example' };
  const response = await post('/api/v1/videos', { model: 'acme/film', prompt: 'a fox' }, { headers });
  expect(response.status).toBe(404);
  expect(film.starts).toEqual([]);
});

test('goes on from no job outside of the region of the host', async () => {
  const film = createScriptedVideos();
  const { post, platform } = createCoreGateway([film.provider], { models: [FILM], regions: REGIONS });
  const submit = (host: string, body: object): ReturnType<typeof post> => {
    const headers = { authorization: `Bearer ${API_KEY}`, host };
    return post('/api/v1/videos', { model: 'acme/film', prompt: 'a fox', ...body }, { headers });
  };
  const first = await submit('gateway.example', { provider: { only: ['film/us'] } });
  await platform.advance(20_000);
  const further = { previous_job_id: jsonOf(first)['id'] };
  const refused = await submit('eu.example', further);
  expect([refused.status, refused.body]).toEqual([404, expect.stringContaining('(region)')]);
  expect((await submit('gateway.example', further)).status).toBe(202);
  expect(film.starts.map(({ providerModel }) => providerModel)).toEqual(['film-us', 'film-us']);
});
