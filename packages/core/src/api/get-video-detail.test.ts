import { expect, test } from 'vitest';

import { jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createVideoGateway, FILM, type VideoGateway } from '../../../../test/support/videos/video-gateway.ts';
import { TransportError } from '../foundation/transport.ts';
import { timelineOf } from '../stores/video-jobs.ts';
import { withAccepted } from '../videos/video-job.ts';
import type { VideoDetail } from '../wire/videos.ts';

const detailOf = async (gateway: VideoGateway, id: string): Promise<VideoDetail> =>
  (jsonOf(await gateway.get(`/admin/v1/videos/${id}`, MANAGEMENT_KEY)) as { data: VideoDetail }).data;

test('tells the prompt, the pictures and the polls of a job while it runs, without a write for each poll', async () => {
  const gateway = createVideoGateway({ progress: () => ({ status: 'in_progress' }) });
  const frame = { type: 'image_url', frame_type: 'first_frame', image_url: { url: 'data:image/png;base64,AAAA' } };
  const { body } = await gateway.submit({ prompt: 'a fox', frame_images: [frame] });
  expect(await detailOf(gateway, body.id)).toMatchObject({
    prompt: 'a fox',
    inputs: [{ type: 'image', frame: 'first_frame', origin: expect.stringMatching(/^data:image/) }],
    timeline: { attempts_ms: [0], accepted_ms: 0, polls: [], poll_count: 0, statuses: [], announcements: [] },
    course: { attempts_ms: [0], accepted_ms: 0, polls: [], poll_count: 0, statuses: [], announcements: [] },
  });
  await gateway.platform.advance(60_000);
  const { timeline } = await detailOf(gateway, body.id);
  expect(timeline?.statuses).toEqual([{ status: 'in_progress', at_ms: expect.any(Number) }]);
  expect(timeline?.poll_count).toBeGreaterThan(3);
  expect(timeline?.polls).toHaveLength(timeline?.poll_count ?? 0);
  // One endpoint leaves nothing to decide.
  expect(timeline).not.toHaveProperty('decision');
  // Only the first was written, with the change of the status.
  expect((await gateway.job(body.id)).timeline?.poll_count).toBe(1);
});

test('stores all polls with the end of a job, and leaves its prompt to the generation', async () => {
  const gateway = createVideoGateway({
    progress(_, number) {
      if (number === 0) throw new TransportError('the connection was reset', { phase: 'body', requestSent: true });
      return number < 3 ? { status: 'in_progress' } : { status: 'completed', outputs: [{}] };
    },
  });
  const { body } = await gateway.submit();
  await gateway.platform.advance(120_000);
  const detail = await detailOf(gateway, body.id);
  expect(detail).toMatchObject({ prompt: null, inputs: [] });
  expect(detail.timeline?.statuses.map(({ status }) => status)).toEqual(['in_progress', 'completed']);
  expect(detail.timeline?.polls.filter((poll) => poll.has_failed)).toHaveLength(1);
  expect((await gateway.job(body.id)).timeline).toEqual(detail.timeline);
});

test('shows a picture that went in whole while the job runs, and with the generation after that', async () => {
  const gateway = createVideoGateway({
    progress: (_, number) => (number < 2 ? { status: 'in_progress' } : { status: 'completed', outputs: [{}] }),
  });
  const url = `data:image/png;base64,${'A'.repeat(5000)}`;
  const frame = { type: 'image_url', frame_type: 'first_frame', image_url: { url } };
  const { body } = await gateway.submit({ prompt: 'a fox', frame_images: [frame] });
  const inputs = async () => jsonOf(await gateway.get(`/admin/v1/videos/${body.id}/inputs`, MANAGEMENT_KEY));
  expect(await inputs()).toEqual({ data: [{ type: 'image', frame: 'first_frame', url }] });
  // A job is written often, and has no more than the beginning.
  expect(JSON.stringify(await gateway.job(body.id)).length).toBeLessThan(3000);
  await gateway.platform.advance(120_000);
  expect(await inputs()).toEqual({ data: [] });
  const { generationId } = await gateway.job(body.id);
  expect((await gateway.store.generations.getContent(generationId))?.input).toEqual({
    prompt: 'a fox',
    media: [{ type: 'image', frame: 'first_frame', url }],
  });
});

test('holds and stores no picture where contents are not stored', async () => {
  const gateway = createVideoGateway(
    { progress: () => ({ status: 'in_progress' }) },
    { logging: { inputOutput: false } },
  );
  const frame = { type: 'image_url', frame_type: 'first_frame', image_url: { url: 'data:image/png;base64,CANARY' } };
  const { body } = await gateway.submit({ frame_images: [frame] });
  expect(jsonOf(await gateway.get(`/admin/v1/videos/${body.id}/inputs`, MANAGEMENT_KEY))).toEqual({ data: [] });
});

test('tells what upstream said at each poll', async () => {
  const gateway = createVideoGateway({
    progress: (_, number) =>
      number === 0
        ? { status: 'pending' }
        : number < 3
          ? { status: 'in_progress' }
          : { status: 'completed', outputs: [{}] },
  });
  const { body } = await gateway.submit();
  await gateway.platform.advance(120_000);
  const { timeline } = await detailOf(gateway, body.id);
  expect(timeline?.polls.map(({ status }) => status)).toEqual(['pending', 'in_progress', 'in_progress', 'completed']);
});

test('holds the first and the last of many polls, and their number', async () => {
  const gateway = createVideoGateway({ progress: () => ({ status: 'in_progress', retryAfterMs: 1000 }) });
  const { body } = await gateway.submit();
  await gateway.platform.advance(200_000);
  const { timeline } = await detailOf(gateway, body.id);
  expect(timeline?.poll_count).toBeGreaterThan(100);
  expect(timeline?.polls).toHaveLength(60);
  expect(timeline?.polls[0]?.at_ms).toBeLessThan(10_000);
  expect(timeline?.polls.at(-1)?.at_ms).toBeGreaterThan(190_000);
});

const TWICE = { ...FILM, endpoints: [...FILM.endpoints, { provider: 'film', providerModel: 'film-2' }] };

test('tells why each endpoint was asked for a video or not', async () => {
  const gateway = createVideoGateway({}, { models: [TWICE] });
  const { body } = await gateway.submit({ provider: { allow_fallbacks: false, sort: 'price' } });
  const { timeline } = await detailOf(gateway, body.id);
  expect(timeline?.decision).toMatchObject({
    ordered_by: 'price',
    candidates: [{ provider: 'film' }, { provider: 'film', rule: 'allow_fallbacks' }],
  });
});

test('tells neither prompt nor decision where contents are not stored', async () => {
  const gateway = createVideoGateway({}, { models: [TWICE], logging: { inputOutput: false } });
  const { body } = await gateway.submit({ prompt: 'CANARY' });
  const detail = await detailOf(gateway, body.id);
  expect(JSON.stringify(detail)).not.toContain('CANARY');
  expect(detail.timeline).not.toHaveProperty('decision');
});

test('reads and continues the timeline of a job that a former version stored as its course', () => {
  const course = { attempts_ms: [3], polls: [], poll_count: 7, statuses: [], announcements: [] };
  const job = { course, createdAt: 0 };
  expect(timelineOf(job)).toEqual(course);
  expect(withAccepted(timelineOf(job), job, 90)).toEqual({ ...course, accepted_ms: 90 });
  expect(timelineOf({ ...job, timeline: withAccepted(course, job, 90) })).toMatchObject({ accepted_ms: 90 });
});
