import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { createDiskFileStorage, createJsonFileStore } from '@model-gateway/node';
import { expect, onTestFinished, test } from 'vitest';

import { toRecord } from '../../../../test/support/stores/generation-records.ts';
import { createSampleCalls, type SampleCall } from './sample-calls.ts';
import { createSampleKinds, makeSampleMedia } from './sample-kinds.ts';
import { openSampleData } from './sample-mark.ts';
import { seedSamples } from './seed-samples.ts';

const FIXTURES = fileURLToPath(new URL('../../../../fixtures', import.meta.url));
const NOW = Date.parse('2026-03-20T15:00:00Z');
const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

function makeFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'samples-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const open = (dir: string, nowMs = NOW) => createJsonFileStore({ dir, now: () => nowMs });

test('sample data are three weeks of calls up to now, with all that a gateway in use has', () => {
  const calls = createSampleCalls(NOW, hashOf);
  const generations = calls.map(({ record }) => record.generation);
  const times = generations.map(({ created_at: at }) => Date.parse(at));
  expect(calls.length).toBeGreaterThan(1500);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(new Set(generations.map(({ id }) => id)).size).toBe(calls.length);
  expect(NOW - (times[0] ?? 0)).toBeGreaterThan(20 * 86_400_000);
  expect(NOW - (times.at(-1) ?? 0)).toBeGreaterThan(0);
  expect(NOW - (times.at(-1) ?? 0)).toBeLessThan(86_400_000);
  const share = (isOne: (generation: (typeof generations)[number]) => boolean): number =>
    generations.filter(isOne).length / generations.length;
  expect(share(({ finish_reason: reason }) => reason === 'error')).toBeGreaterThan(0.005);
  expect(share(({ finish_reason: reason }) => reason === 'error')).toBeLessThan(0.05);
  expect(share(({ provider_responses: attempts }) => (attempts?.length ?? 0) > 1)).toBeGreaterThan(0.03);
  expect(share(({ cancelled }) => cancelled === true)).toBeGreaterThan(0.003);
  expect(share(({ cache_discount: saved }) => saved !== null)).toBeGreaterThan(0.2);
  expect(new Set(generations.map(({ session_id: id }) => id)).size).toBeGreaterThan(20);
});

/** The messages of a session's calls, in order. */
const toTurns = (calls: readonly SampleCall[]): readonly (readonly { role?: string; tool_call_id?: string }[])[] =>
  calls.map(({ content }) => ('messages' in content.input ? (content.input.messages as never) : []));

test('sample data have calls of every kind, with the results that are stored of them', async () => {
  const calls = createSampleKinds(NOW, hashOf, await makeSampleMedia(FIXTURES));
  const ofKind = (kind: string) => calls.filter(({ record }) => record.generation.api_type === kind);
  for (const kind of ['embeddings', 'rerank', 'moderation', 'image', 'speech', 'transcription']) {
    expect(ofKind(kind).length).toBeGreaterThan(5);
  }
  expect(ofKind('image')[0]?.content.output.media?.[0]?.url).toMatch(/^data:image\/png;base64,iVBOR/);
  expect(ofKind('speech')[0]?.content.output.media?.[0]?.url).toMatch(/^data:audio\/mpeg;base64,/);
  expect(ofKind('transcription')[0]?.content.output.segments?.length).toBeGreaterThan(1);
  const times = calls.map(({ record }) => Date.parse(record.generation.created_at));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(Math.max(...times)).toBeLessThan(NOW);
});

test('each call of a sample session sends what was said before, with a result for each tool call', () => {
  const calls = createSampleCalls(NOW, hashOf);
  const idOf = ({ record }: SampleCall): string | null => record.generation.session_id;
  const ids = new Set(calls.map(idOf).filter((id) => id !== null));
  for (const id of ids) {
    const session = calls.filter((call) => idOf(call) === id);
    const turns = toTurns(session);
    for (const [at, messages] of turns.entries()) {
      expect(messages.slice(0, turns[at - 1]?.length ?? 0)).toEqual(turns[at - 1] ?? []);
      const asked = session[at - 1]?.content.output.tool_calls?.map((call) => call.id) ?? [];
      const results = messages.filter(({ role }) => role === 'tool').map((message) => message.tool_call_id);
      expect(results.slice(-asked.length || results.length)).toEqual(at === 0 ? [] : asked);
    }
  }
});

test('a new directory is filled, and one that was used is left as it is', async () => {
  const dir = makeFolder();
  expect(await seedSamples(dir, FIXTURES, NOW)).toBe(true);
  const store = await open(dir);
  const count = store.generations.count?.();
  expect(count).toBeGreaterThan(1500);
  expect((await store.keys.list()).map(({ name }) => name)).toEqual([
    'Sample: Support bot',
    'Sample: Website',
    'Sample: Coding agents',
  ]);
  expect((await store.videoJobs.list()).map(({ status }) => status)).toContain('failed');
  expect((await store.guardrailHits.list()).length).toBeGreaterThan(10);
  const batches = (await store.batches.list()).flatMap((row) => (row.kind === 'batch' ? [row] : []));
  expect(batches.map(({ status }) => status)).toEqual(['completed', 'cancelled', 'completed', 'failed']);
  const files = await store.files.list();
  expect(files.every(({ filename }) => filename.startsWith('sample-'))).toBe(true);
  const contents = await createDiskFileStorage({ dir: join(dir, 'files') });
  for (const { completed, outputFileId, costNanoUsd } of batches) {
    const file = files.find(({ id }) => id === outputFileId);
    if (file === undefined) continue;
    const content = await contents.find(file.content);
    if (content === undefined) throw new Error(`${file.filename} has no content`);
    const lines = (await text(content.read())).trim().split('\n');
    expect([lines.length, content.bytes]).toEqual([completed, file.bytes]);
    const calls = lines.map((line) => (JSON.parse(line) as { response: { request_id: string } }).response.request_id);
    let sum = 0;
    for (const id of calls) sum += (await store.generations.get(id))?.costNanoUsd ?? NaN;
    expect(sum).toBe(costNanoUsd);
  }
  await store.close();

  expect(await seedSamples(dir, FIXTURES, NOW)).toBe(false);
  const again = await open(dir);
  expect(again.generations.count?.()).toBe(count);
  await again.close();
});

test('sample data are deleted at once, and nothing else', async () => {
  const dir = makeFolder();
  await seedSamples(dir, FIXTURES, NOW);
  const store = await open(dir, NOW + 1000);
  const created_at = new Date(NOW + 1000).toISOString();
  await store.generations.append(toRecord('own', { costNanoUsd: 7, generation: { created_at } }), null);
  expect(readdirSync(join(dir, 'videos')).length).toBeGreaterThan(1);
  writeFileSync(join(dir, 'videos', 'own-0.mp4'), 'own');
  const samples = await openSampleData(dir, store);
  expect(await samples.describe()).toEqual({
    generations: expect.any(Number),
    from: expect.stringContaining('2026-02-27'),
  });
  await samples.remove();
  await samples.remove();
  const left = async (opened: typeof store) => ({
    generations: opened.generations.count?.(),
    spent: (await opened.generations.spent({})).creditsNanoUsd,
    keys: (await opened.keys.list()).length,
    guardrails: (await opened.guardrails.list()).length,
    assignments: (await opened.keyAssignments.list()).length,
    hits: (await opened.guardrailHits.list()).length,
    videos: (await opened.videoJobs.list()).length,
    files: (await opened.files.list()).length,
    batches: (await opened.batches.list()).length,
    films: readdirSync(join(dir, 'videos')),
    samples: await (await openSampleData(dir, opened)).describe(),
  });
  const none = { keys: 0, guardrails: 0, assignments: 0, hits: 0, videos: 0, files: 0, batches: 0, samples: null };
  const own = { ...none, generations: 1, spent: 7, films: ['own-0.mp4'] };
  expect(await samples.describe()).toBeNull();
  expect(await left(store)).toEqual(own);
  await store.close();
  const again = await open(dir, NOW + 2000);
  expect(await left(again)).toEqual(own);
  await again.close();
});
