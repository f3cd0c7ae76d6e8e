import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { GatewayError } from '@model-gateway/core';
import { describe, expect, onTestFinished, test } from 'vitest';

import { connectVideos, LIMITS, ORDER, toStart } from '../../support/video-wires/connect-videos.ts';
import { FILM, UPSTREAM_KEY, type VideoWireScript } from '../../support/video-wires/video-wire-script.ts';

/** Every folder with a file of videos is a wire, and must have a script that the contract can be run on. */
const FOLDER = fileURLToPath(new URL('../../../packages/core/src/providers/', import.meta.url));
const names = readdirSync(FOLDER).filter((wire) => existsSync(`${FOLDER}${wire}/${wire}-videos.ts`));
const scripts: [string, VideoWireScript][] = [];
for (const name of names) {
  const { script } = (await import(`../../support/video-wires/${name}.ts`)) as { script: VideoWireScript };
  scripts.push([name, script]);
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

test('finds the wires on disk', () => {
  expect(names).toEqual(['fal', 'gateway', 'google', 'openai', 'replicate']);
});

test('a query that a provider wants goes with every address of its own', async () => {
  const { script } = (await import('../../support/video-wires/openai.ts')) as { script: VideoWireScript };
  const provider = (origin: string) => ({ ...script.provider(origin), query: { 'api-version': 'preview' } });
  const { upstream, video } = await connectVideos({ ...script, provider });
  const { upstreamId } = await video.start(toStart(script));
  const job = { upstreamId, providerModel: script.model };
  await video.poll({ job, ...LIMITS });
  await video.find?.({ providerModel: script.model, order: ORDER, sinceMs: 0, untilMs: 1, ...LIMITS });
  await readAll((await video.fetch({ job, index: 0, output: {}, headers: {}, ...LIMITS })).body);
  expect(upstream.requests.map(({ query }) => query.get('api-version'))).toEqual(Array(4).fill('preview'));
});

describe.each(scripts)('The video wire %s', (_name, script) => {
  test('starts a job with the order, looks at it until it is done, and fetches it whole and in part', async () => {
    const { upstream, video } = await connectVideos(script);
    const started = await video.start(toStart(script));
    expect(['pending', 'in_progress']).toContain(started.status);
    expect(started.retryAfterMs).toBe(0);
    const [submission] = upstream.requests;
    for (const pattern of script.submitted) expect(submission?.body).toMatch(pattern);
    expect(submission?.headers[script.key[0]]).toBe(script.key[1]);

    const job = { upstreamId: started.upstreamId, providerModel: script.model };
    expect((await video.poll({ job, ...LIMITS })).status).toBe('in_progress');
    const { status, outputs = [] } = await video.poll({ job, ...LIMITS });
    expect([status, outputs.length]).toEqual(['completed', 1]);

    const fetch = (headers = {}) => video.fetch({ job, index: 0, output: outputs[0] ?? {}, headers, ...LIMITS });
    const whole = await fetch();
    expect([whole.status, whole.headers['content-type']]).toEqual([200, 'video/mp4']);
    expect(FILM.equals(await readAll(whole.body))).toBe(true);
    const part = await fetch({ range: 'bytes=1000-1009' });
    expect([part.status, part.headers['content-range']]).toEqual([206, `bytes 1000-1009/${FILM.length}`]);
    expect(FILM.subarray(1000, 1010).equals(await readAll(part.body))).toBe(true);
    const downloads = upstream.requests.filter(({ path }) => path.startsWith('/public/'));
    expect(downloads.length > 0).toBe(script.hasPublicFilms);
    for (const { headers } of downloads) expect(JSON.stringify(headers)).not.toContain(UPSTREAM_KEY);
  });

  test.each([
    ['please fail', 'failed', 'not this one'],
    ['please cancel', 'cancelled', undefined],
  ])('tells that a job ended otherwise: %s', async (prompt, expected, message) => {
    const { video } = await connectVideos(script);
    const { upstreamId } = await video.start(toStart(script, prompt));
    const job = { upstreamId, providerModel: script.model };
    await video.poll({ job, ...LIMITS });
    const { status, error } = await video.poll({ job, ...LIMITS });
    expect(status).toBe(expected);
    if (message !== undefined) expect(error).toContain(message);
  });

  test('continues to poll a job for which upstream reports an unknown state', async () => {
    const { video } = await connectVideos(script);
    const { upstreamId } = await video.start(toStart(script, 'please strange'));
    const job = { upstreamId, providerModel: script.model };
    const seen: string[] = [];
    for (let look = 0; look < 4; look += 1) seen.push((await video.poll({ job, ...LIMITS })).status);
    expect(seen.at(-1)).toBe('completed');
    for (const status of seen.slice(0, 3)) expect(['in_progress', 'unknown']).toContain(status);
  });

  test.each([
    ['please refuse', 'invalid_request', 400],
    ['please busy', 'provider_overloaded', 503],
  ])('throws what upstream says at submission: %s', async (prompt, code, upstreamStatus) => {
    const { video, upstream } = await connectVideos(script);
    const error = await video.start(toStart(script, prompt)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ code, upstreamStatus });
    expect(upstream.jobs.all).toHaveLength(0);
  });

  test('throws for a job that upstream does not know, and for a page that is no job', async () => {
    const { video, upstream } = await connectVideos(script);
    const { upstreamId } = await video.start(toStart(script));
    const stranger = { upstreamId: upstreamId.replace('job-1', 'job-99'), providerModel: script.model };
    await expect(video.poll({ job: stranger, ...LIMITS })).rejects.toMatchObject({ code: 'not_found' });
    const { respond } = script;
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>busy</html>' };
    Object.assign(script, { respond: () => page });
    onTestFinished(() => void Object.assign(script, { respond }));
    const job = { upstreamId, providerModel: script.model };
    await expect(video.poll({ job, ...LIMITS })).rejects.toMatchObject({ code: 'provider_unavailable' });
    await expect(video.start(toStart(script))).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect(upstream.jobs.all).toHaveLength(1);
  });

  test('shows no key, whatever upstream echoes', async () => {
    const { upstream, video } = await connectVideos(script);
    const { respond } = script;
    Object.assign(script, { respond: () => script.refuse(400, `bad ${UPSTREAM_KEY} at ${upstream.origin}/x`) });
    onTestFinished(() => void Object.assign(script, { respond }));
    const error = await video.start(toStart(script)).catch((thrown: unknown) => thrown);
    expect(String(error)).not.toContain(UPSTREAM_KEY);
    expect(String(error)).not.toContain('127.0.0.1');
  });

  test('says truly whether the same idempotency key makes the same job', async () => {
    const { upstream, video } = await connectVideos(script);
    expect(video.honoursIdempotencyKey).toBe(script.honoursIdempotencyKey);
    if (!video.honoursIdempotencyKey) return;
    const first = await video.start(toStart(script, 'a fox', 'key-1'));
    const again = await video.start(toStart(script, 'a fox', 'key-1'));
    const other = await video.start(toStart(script, 'a fox', 'key-2'));
    expect([again.upstreamId === first.upstreamId, other.upstreamId === first.upstreamId]).toEqual([true, false]);
    expect(upstream.jobs.all).toHaveLength(2);
  });

  test("finds in upstream's list what an order may have made, where the list tells jobs apart", async () => {
    const { video } = await connectVideos(script);
    expect(video.find !== undefined).toBe(script.hasList);
    if (video.find === undefined) return;
    const { upstreamId } = await video.start(toStart(script, 'a fox'));
    await video.start(toStart(script, 'a hare'));
    const now = Date.now();
    const search = { providerModel: script.model, order: ORDER, ...LIMITS };
    expect(await video.find({ ...search, sinceMs: now - 60_000, untilMs: now + 60_000 })).toEqual([upstreamId]);
    expect(await video.find({ ...search, sinceMs: now - 90_000, untilMs: now - 60_000 })).toEqual([]);
    expect(await video.find({ ...search, providerModel: 'x/y', sinceMs: 0, untilMs: now + 60_000 })).toEqual([]);
  });
});
