import { expect, test } from 'vitest';

import type { VideoOrder } from '../../../packages/core/src/providers/video-contract.ts';
import { connectVideos, ORDER, toStart } from '../../support/video-wires/connect-videos.ts';
import { script as fal } from '../../support/video-wires/fal.ts';
import { script as gateway } from '../../support/video-wires/gateway.ts';
import { script as google } from '../../support/video-wires/google.ts';
import { script as openai } from '../../support/video-wires/openai.ts';
import { script as replicate } from '../../support/video-wires/replicate.ts';
import type { VideoUpstreamRequest, VideoWireScript } from '../../support/video-wires/video-wire-script.ts';

const PICTURE = 'https://pictures.example/a.png';
const PIXEL = `data:image/png;base64,${Buffer.from('a picture').toString('base64')}`;
const frame = (url: string, type: 'first_frame' | 'last_frame' = 'first_frame') =>
  ({ type: 'image_url', image_url: { url }, frame_type: type }) as const;
const picture = (url: string) => ({ type: 'image_url', image_url: { url } }) as const;
const SOUND = { type: 'audio_url', audio_url: { url: 'https://sounds.example/a.mp3' } } as const;
const FILM = { type: 'video_url', video_url: { url: 'https://films.example/a.mp4' } } as const;

/** Submits an order, and returns what upstream was sent. */
async function submit(script: VideoWireScript, order: Partial<VideoOrder>): Promise<VideoUpstreamRequest> {
  const { video, upstream } = await connectVideos(script);
  const start = toStart(script);
  await video.start({ ...start, order: { ...ORDER, ...order } });
  return upstream.requests.at(-1) as VideoUpstreamRequest;
}

const jsonOf = ({ body }: VideoUpstreamRequest): unknown => JSON.parse(body);

test('openai: a picture in the request is a file of the form, one at an address makes the body JSON', async () => {
  const file = await submit(openai, { frameImages: [frame(PIXEL)] });
  expect(file.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
  expect(file.body).toContain(
    'name="input_reference"; filename="reference.png"\r\ncontent-type: image/png\r\n\r\na picture',
  );
  const prompts: object[] = [];
  for (const order of [{ frameImages: [frame(PICTURE)] }, { inputReferences: [SOUND, picture(PICTURE)] }]) {
    prompts.push(jsonOf(await submit(openai, order)) as object);
  }
  const expected = { model: 'sora-2', prompt: 'a fox', input_reference: { image_url: PICTURE } };
  expect(prompts).toMatchObject([expected, expected]);
});

test('openai: a last frame is refused, a job that goes on is an extension, and options win', async () => {
  await expect(submit(openai, { frameImages: [frame(PICTURE, 'last_frame')] })).rejects.toThrow(
    'frame_images.0.frame_type: must be first_frame',
  );
  const { respond } = openai;
  const taken = { status: 200, body: { id: 'job-1', status: 'queued' } };
  const extending = {
    ...openai,
    respond: (...given: Parameters<typeof respond>) => (given[0].method === 'POST' ? taken : respond(...given)),
  };
  const extension = await submit(extending, { previousUpstreamId: 'job-0', options: { style: 'noir' } });
  expect(extension.path).toBe('/v1/videos/extensions');
  expect(jsonOf(extension)).toEqual({ prompt: 'a fox', seconds: '4', video: { id: 'job-0' }, style: 'noir' });
  expect((await submit(openai, { options: { seconds: 8, quality: 'high' } })).body).toMatch(
    /name="seconds"\r\n\r\n8\r\n[^]*name="quality"\r\n\r\nhigh\r\n/,
  );
  expect(jsonOf(await submit(openai, { options: { nested: { a: 1 } } }))).toMatchObject({ nested: { a: 1 } });
});

test('google: pictures are sent along, first and last frame and references, and fetched where they lie elsewhere', async () => {
  const inline = { bytesBase64Encoded: Buffer.from('a picture').toString('base64'), mimeType: 'image/png' };
  const frames = await submit(google, { frameImages: [frame(PIXEL), frame(PIXEL, 'last_frame')] });
  expect(jsonOf(frames)).toMatchObject({ instances: [{ prompt: 'a fox', image: inline, lastFrame: inline }] });
  const references = await submit(google, {
    inputReferences: [picture(PIXEL), SOUND],
    options: { personGeneration: 'x' },
  });
  expect(jsonOf(references)).toMatchObject({
    instances: [{ referenceImages: [{ image: inline, referenceType: 'asset' }] }],
    parameters: { durationSeconds: 4, personGeneration: 'x' },
  });

  const { video, upstream } = await connectVideos(google);
  const at = (path: string) => ({ ...ORDER, frameImages: [frame(upstream.origin + path)] });
  // The server returns a film there and no picture.
  const start = video.start({ ...toStart(google), order: at('/public/a.png') });
  await expect(start).rejects.toThrow('frame_images.0.image_url.url: must be the address of an image');
  const missing = video.start({ ...toStart(google), order: at('/nothing.png') });
  await expect(missing).rejects.toThrow('frame_images.0.image_url.url: the image could not be fetched');
  expect(upstream.jobs.all).toHaveLength(0);
});

test('google: a job that goes on is sent the address of the film before it', async () => {
  const { video, upstream } = await connectVideos(google);
  const { upstreamId } = await video.start(toStart(google));
  const job = { upstreamId, providerModel: google.model };
  const limits = { signal: new AbortController().signal, timeoutMs: 5000 };
  const goOn = () => video.start({ ...toStart(google), order: { ...ORDER, previousUpstreamId: upstreamId } });
  await expect(goOn()).rejects.toThrow('previous_job_id: must be a job whose video still exists');
  await video.poll({ job, ...limits });
  await goOn();
  const uri = `${upstream.origin}/v1beta/files/job-1:download?alt=media`;
  expect(JSON.parse(upstream.requests.at(-1)?.body ?? '')).toMatchObject({ instances: [{ video: { uri } }] });
});

test('fal and replicate: what a request names goes under the usual names, and the options win over them', async () => {
  const order = {
    frameImages: [frame(PICTURE), frame(PIXEL, 'last_frame')],
    seed: 7,
    generateAudio: true,
    options: { duration: '8s', cfg: 2 },
  };
  expect(jsonOf(await submit(fal, order))).toEqual({
    prompt: 'a fox',
    duration: '8s',
    cfg: 2,
    aspect_ratio: '16:9',
    resolution: '720p',
    seed: 7,
    generate_audio: true,
    image_url: PICTURE,
    end_image_url: PIXEL,
  });
  expect(jsonOf(await submit(replicate, order))).toEqual({
    version: 'acme/film',
    input: {
      prompt: 'a fox',
      duration: '8s',
      cfg: 2,
      aspect_ratio: '16:9',
      resolution: '720p',
      seed: 7,
      generate_audio: true,
      image: PICTURE,
      last_frame: PIXEL,
    },
  });
  const references = { inputReferences: [picture(PICTURE), picture(PIXEL), SOUND, FILM] };
  expect(jsonOf(await submit(fal, references))).toMatchObject({
    image_urls: [PICTURE, PIXEL],
    audio_url: SOUND.audio_url.url,
    video_url: FILM.video_url.url,
  });
  expect(jsonOf(await submit(replicate, references))).toMatchObject({
    input: { reference_images: [PICTURE, PIXEL], audio: SOUND.audio_url.url, video: FILM.video_url.url },
  });
});

test('gateway: everything is handed on as it was asked for', async () => {
  const order = {
    frameImages: [frame(PICTURE)],
    inputReferences: [SOUND],
    seed: 7,
    previousUpstreamId: 'job-0',
    options: { fal: { cfg: 2 } },
  };
  const sent = await submit(gateway, order);
  expect(sent.headers['idempotency-key']).toBe('job-of-ours');
  expect(jsonOf(sent)).toEqual({
    model: 'acme/film',
    prompt: 'a fox',
    duration: 4,
    resolution: '720p',
    aspect_ratio: '16:9',
    generate_audio: false,
    seed: 7,
    previous_job_id: 'job-0',
    frame_images: [frame(PICTURE)],
    input_references: [SOUND],
    provider: { options: { fal: { cfg: 2 } } },
  });
  const odd = { size: '1000x600', resolution: undefined, aspectRatio: undefined };
  expect(jsonOf(await submit(gateway, odd))).toMatchObject({ size: '1000x600' });
});
