import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createScriptedVideos } from '../../../../test/support/videos/scripted-videos.ts';

const FILM = {
  id: 'acme/film',
  architecture: { input_modalities: ['text'], output_modalities: ['video'] },
  endpoints: [{ provider: 'film', providerModel: 'film-1', pricing: { video_second: '0.1' } }],
};

function createFilmGateway() {
  const { provider } = createScriptedVideos({
    progress: (upstreamId) =>
      upstreamId === 'film-1' ? { status: 'completed', outputs: [{}] } : { status: 'in_progress' },
  });
  const core = createCoreGateway([provider], { models: [FILM] });
  const submit = async (prompt: string): Promise<void> => {
    const { status } = await core.post('/api/v1/videos', { model: 'acme/film', prompt, duration: 4 });
    expect(status).toBe(202);
  };
  const list = async (query = '') => {
    const response = await core.get(`/admin/v1/videos${query}`, MANAGEMENT_KEY);
    return { status: response.status, ...(jsonOf(response) as { data?: object[]; total_count?: number }) };
  };
  return { ...core, submit, list };
}

test('lists video jobs newest first, with the cost of those that have completed', async () => {
  const { submit, list, platform } = createFilmGateway();
  await submit('a fox');
  await platform.advance(60_000);
  await submit('a hare');
  await platform.advance(60_000);
  const { data, total_count: total } = await list();
  expect(total).toBe(2);
  expect(data).toMatchObject([
    { status: 'in_progress', model: 'acme/film', ended_at: null, cost: null, videos: 0, duration: 4 },
    { status: 'completed', provider_name: 'Film', cost: 0.4, videos: 1, error: null },
  ]);
});

test('lists nothing of the prompt, so that deleting the content is enough', async () => {
  const { submit, list } = createFilmGateway();
  await submit('CANARY-prompt');
  const response = await list();
  expect(response.total_count).toBe(1);
  expect(JSON.stringify(response)).not.toContain('CANARY');
});

test('narrows the list of video jobs to a status, and refuses one that there is not', async () => {
  const { submit, list } = createFilmGateway();
  await submit('a fox');
  expect((await list('?status=completed')).total_count).toBe(0);
  expect((await list('?status=pending')).total_count).toBe(1);
  expect((await list('?status=done')).status).toBe(400);
  expect((await list('?limit=0')).status).toBe(400);
});
