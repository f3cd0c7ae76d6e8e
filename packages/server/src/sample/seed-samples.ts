import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import {
  type Generation,
  type Guardrail,
  type KeyRecord,
  type Store,
  toNewGuardrail,
  type VideoArchive,
  type VideoJob,
} from '@model-gateway/core';
import { createDiskFileStorage, createFileVideoArchive, createJsonFileStore } from '@model-gateway/node';

import { createSampleBatches, type SampleFile } from './sample-batches.ts';
import {
  createDice,
  createSampleCalls,
  HOUR_MS,
  NOTHING_KNOWN,
  SAMPLE_DAYS,
  SAMPLE_KEYS,
  type SampleCall,
  type SampleKey,
} from './sample-calls.ts';
import { createSampleKinds, makeSampleMedia } from './sample-kinds.ts';
import { type SampleMark, toFilmName, writeSampleMark } from './sample-mark.ts';
import { FILMS } from './sample-texts.ts';

const DAY_MS = 24 * HOUR_MS;
const WORKSPACE_ID = NOTHING_KNOWN.workspace_id;
const GUARDRAIL_ID = '5a3b1e00-0000-4000-8000-000000000001';

/**
 * Fills a new data directory with three weeks of made-up calls up to now, with keys, a guardrail, videos, files and batches,
 * and marks them, so that they can be deleted again. Returns whether it has: a directory that was used before is left as it is.
 * `fixturesDir` has the demo's film and voice.
 */
export async function seedSamples(dir: string, fixturesDir: string, nowMs = Date.now()): Promise<boolean> {
  // Their segment is that of the day before, so that it can be dropped without a call of today.
  const writtenAt = Math.floor(nowMs / DAY_MS) * DAY_MS - 1;
  const store = await createJsonFileStore({ dir, now: () => writtenAt, trustsClock: true });
  try {
    const isUsed = store.generations.count?.() !== 0 || (await store.keys.list()).length > 0;
    if (isUsed) return false;
    const calls = createSampleCalls(nowMs, hashOf);
    const videos = createSampleVideos(nowMs);
    const media = await makeSampleMedia(fixturesDir);
    const kinds = createSampleKinds(nowMs, hashOf, media);
    const batched = createSampleBatches(nowMs, hashOf, media);
    const hits = noteRedactions(calls);
    await addSetup(store, calls[0]?.record.generation.created_at ?? new Date(nowMs).toISOString());
    const all = [...calls, ...videos.calls, ...kinds, ...batched.calls].toSorted((a, b) =>
      createdAtOf(a).localeCompare(createdAtOf(b)),
    );
    await Promise.all(all.map(({ record, content }) => store.generations.append(record, content)));
    for (const row of hits) await store.guardrailHits.insert(row);
    const archive = await createFileVideoArchive({ dir: join(dir, 'videos'), maxBytes: 1e9, maxAgeMs: Infinity });
    await addVideos(store, archive, videos.jobs, await readFilm(fixturesDir));
    await addFiles(store, dir, batched.files);
    for (const batch of batched.batches) await store.batches.insert(batch);
    const mark: SampleMark = {
      writtenOn: new Date(writtenAt).toISOString().slice(0, 10),
      generations: all.length,
      from: all[0] === undefined ? new Date(nowMs).toISOString() : createdAtOf(all[0]),
      keys: (Object.keys(SAMPLE_KEYS) as SampleKey[]).map(hashOf),
      guardrails: [GUARDRAIL_ID],
      guardrailHits: hits.map(({ id }) => id),
      videoJobs: videos.jobs.map(({ id }) => id),
      files: batched.files.map(({ row }) => row.id),
      batches: batched.batches.map(({ id }) => id),
    };
    await writeSampleMark(dir, mark);
    return true;
  } finally {
    await store.close();
  }
}

const createdAtOf = ({ record }: SampleCall): string => record.generation.created_at;

/** No key has this hash: nobody can call with one of them. */
const hashOf = (key: SampleKey): string => createHash('sha256').update(`sample key ${key}`).digest('hex');

async function addSetup(store: Store, createdAt: string): Promise<void> {
  for (const [key, { name }] of Object.entries(SAMPLE_KEYS) as [SampleKey, { readonly name: string }][]) {
    const row: KeyRecord = {
      hash: hashOf(key),
      kind: 'api',
      name,
      label: `sk-gw-v1-sam...${key.slice(0, 3)}`,
      disabled: false,
      limitUsd: key === 'coding' ? 25 : null,
      limitReset: key === 'coding' ? 'monthly' : null,
      includeByokInLimit: false,
      creatorUserId: null,
      workspaceId: WORKSPACE_ID,
      createdAt,
      updatedAt: null,
      expiresAt: null,
    };
    await store.keys.insert(row);
  }
  await store.guardrails.insert(toGuardrail(createdAt));
  const id = '5a3b1e00-0000-4000-8000-000000000002';
  const assignment = { id, guardrailId: GUARDRAIL_ID, subjectId: hashOf('support'), assignedBy: null, createdAt };
  await store.keyAssignments.assign([assignment]);
}

const toGuardrail = (createdAt: string): Guardrail => ({
  ...toNewGuardrail({
    id: GUARDRAIL_ID,
    name: 'Sample: Customer data',
    workspace_id: WORKSPACE_ID,
    created_at: createdAt,
  }),
  description: 'Replaces e-mail addresses and refuses card numbers',
  content_filter_builtins: [
    { slug: 'email', action: 'redact' },
    { slug: 'credit-card', action: 'block' },
  ],
});

type HitsRow = Awaited<ReturnType<Store['guardrailHits']['list']>>[number];

const REDACTED: NonNullable<Generation['pipeline']>[number] = {
  type: 'guardrail',
  name: 'content-filter',
  guardrail_id: GUARDRAIL_ID,
  guardrail_scope: 'api-key',
  summary: 'Redacted email',
  data: { action: 'redacted', engines: ['regex'], flagged: true, matched_entity_types: ['email'] },
};

/** Every ninth call of the support bot had an address in it, and a card number was refused every other day. */
function noteRedactions(calls: readonly SampleCall[]): HitsRow[] {
  const byDay = new Map<string, { hours: Record<string, { redacted?: number; blocked?: number }>; at: number }>();
  const dayOf = (iso: string) => {
    const day = iso.slice(0, 10);
    const found = byDay.get(day) ?? { hours: {}, at: Date.parse(iso) };
    byDay.set(day, found);
    return found;
  };
  let count = 0;
  for (const { record } of calls) {
    if (record.principalId !== hashOf('support') || (count += 1) % 9 !== 0) continue;
    const generation: Generation = record.generation;
    generation.pipeline = [REDACTED];
    const { hours } = dayOf(generation.created_at);
    const hour = String(new Date(generation.created_at).getUTCHours());
    hours[hour] = { ...hours[hour], redacted: (hours[hour]?.redacted ?? 0) + 1 };
  }
  return [...byDay].map(([day, { hours, at }], place) => {
    const isRefused = place % 2 === 1;
    const hour = String(new Date(at).getUTCHours());
    const refusal = {
      at,
      effect: 'blocked' as const,
      rule: 'credit-card',
      principalId: hashOf('support'),
      model: 'openai/gpt-5.6-sol',
    };
    return {
      id: `${GUARDRAIL_ID} ${day}`,
      guardrailId: GUARDRAIL_ID,
      day,
      hours: isRefused ? { ...hours, [hour]: { ...hours[hour], blocked: 1 } } : hours,
      refusals: isRefused ? [refusal] : [],
    };
  });
}

interface SampleVideos {
  readonly calls: readonly SampleCall[];
  readonly jobs: readonly VideoJob[];
}

const FILM_SECONDS = 4;
const FILM_NANO_USD = FILM_SECONDS * 100_000_000;

/** A film every few days; one of them failed. */
function createSampleVideos(nowMs: number): SampleVideos {
  const roll = createDice(7);
  const made = FILMS.map((prompt, place) => {
    const createdMs = Math.round(nowMs - (SAMPLE_DAYS - 2 - place * 4.2) * DAY_MS - roll() * 5 * HOUR_MS);
    return toVideo(prompt, place, { createdMs, tookMs: 48_000 + Math.round(roll() * 70_000), isFailed: place === 2 });
  });
  return { calls: made.map(({ call }) => call), jobs: made.map(({ job }) => job) };
}

interface VideoFacts {
  readonly createdMs: number;
  readonly tookMs: number;
  readonly isFailed: boolean;
}

function toVideo(prompt: string, place: number, { createdMs, tookMs, isFailed }: VideoFacts) {
  const costNanoUsd = isFailed ? 0 : FILM_NANO_USD;
  const generationId = `gen-sample-video-${place + 1}`;
  const generation: Generation = {
    ...NOTHING_KNOWN,
    id: generationId,
    created_at: new Date(createdMs).toISOString(),
    model: 'openai/sora-2',
    provider_name: 'OpenAI',
    api_type: 'video',
    user_agent: SAMPLE_KEYS.website.app,
    streamed: false,
    cancelled: false,
    finish_reason: isFailed ? 'error' : 'stop',
    native_finish_reason: isFailed ? 'failed' : 'completed',
    tokens_prompt: null,
    tokens_completion: null,
    native_tokens_prompt: null,
    native_tokens_completion: null,
    native_tokens_cached: null,
    native_tokens_reasoning: null,
    num_media_completion: isFailed ? 0 : 1,
    total_cost: costNanoUsd / 1e9,
    usage: costNanoUsd / 1e9,
    cache_discount: null,
    latency: null,
    generation_time: tookMs,
    provider_responses: null,
  };
  const error = isFailed ? 'The prompt was refused by the provider’s moderation' : null;
  const call: SampleCall = {
    record: { principalId: hashOf('website'), costNanoUsd, generation },
    content: {
      input: { prompt },
      output: { completion: null, reasoning: null },
      error:
        error === null
          ? null
          : { message: error, status: null, provider_name: 'OpenAI', raw: null, previous_errors: [] },
    },
  };
  const job: VideoJob = {
    id: `video-sample-${place + 1}`,
    principalId: hashOf('website'),
    createdAt: createdMs,
    updatedAt: createdMs + tookMs,
    deadlineAt: createdMs + HOUR_MS,
    baseUrl: 'http://127.0.0.1:8855/api/v1',
    model: 'openai/sora-2',
    modelId: 'openai/sora-2',
    endpointTag: 'openai',
    providerSlug: 'openai',
    providerName: 'OpenAI',
    providerModel: 'sora-2',
    order: {
      prompt,
      durationSeconds: FILM_SECONDS,
      size: '1280x720',
      resolution: '720p',
      aspectRatio: '16:9',
      generateAudio: false,
      seed: undefined,
      creativity: undefined,
      upscaleFactor: undefined,
      frameImages: [],
      inputReferences: [],
      previousUpstreamId: undefined,
      options: {},
    },
    workspaceId: WORKSPACE_ID,
    sessionId: null,
    user: null,
    status: isFailed ? 'failed' : 'completed',
    submission: 'sent',
    upstream: { upstreamId: `sample-${place + 1}`, providerModel: 'sora-2' },
    error,
    generationId,
    outputs: isFailed ? [] : [{ contentType: 'video/mp4' }],
    ...(!isFailed && { content: 'kept' as const }),
    costNanoUsd,
    reservedNanoUsd: 0,
    isByok: false,
    idempotency: null,
    delivery: null,
  };
  return { call, job };
}

const readFilm = (fixturesDir: string): Promise<Buffer> =>
  readFile(join(fixturesDir, 'demo', 'videos', 'synthetic-video-content', 'response.bin'));

async function addVideos(store: Store, archive: VideoArchive, jobs: readonly VideoJob[], film: Buffer): Promise<void> {
  for (const job of jobs) {
    await store.videoJobs.insert(job);
    if (job.content !== 'kept') continue;
    const body = (async function* () {
      yield film;
    })();
    await archive.save(toFilmName(job.id), { contentType: 'video/mp4', bytes: film.byteLength, body });
  }
}

/** Puts contents where the gateway of this directory looks for them. */
async function addFiles(store: Store, dir: string, files: readonly SampleFile[]): Promise<void> {
  const storage = await createDiskFileStorage({ dir: join(dir, 'files') });
  for (const { row, content } of files) {
    const pieces = (async function* () {
      yield content;
    })();
    const { name, bytes } = await storage.save(pieces);
    await store.files.insert({ ...row, content: name, bytes });
  }
}
