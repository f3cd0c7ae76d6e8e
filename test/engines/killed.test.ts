import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { TEST_MODELS } from '../support/gateways/test-gateway.ts';
import { startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';
import { script as openai } from '../support/video-wires/openai.ts';
import { startVideoUpstream, UPSTREAM_KEY } from '../support/video-wires/video-wire-script.ts';
import { expectExactSums, untilRecorded } from './support/accounts.ts';
import { toClusterConfig } from './support/cluster-config.ts';
import { missingPostgres, missingRedis, openDatabase, redisUrl } from './support/engines.ts';
import { type Instance, startInstances } from './support/instances.ts';
import { runStatement } from './support/postgres-server.ts';
import { startSteadyLoad } from './support/steady-load.ts';
import { tell } from './support/tell.ts';
import { startAnnouncements, startBroadcasts } from './support/webhook-receivers.ts';

const isFull = process.env['TEST_FULL'] === '1';
const KILLS = isFull ? 100 : 5;
const JOBS = isFull ? 50 : 10;
const CALLS_PER_SECOND = isFull ? 60 : 40;
/** A dead owner's jobs are taken over within about a minute. */
const SETTLED_LIMIT_MS = 180_000;
const MODEL = 'test/text';

const missing = missingPostgres ?? missingRedis;

interface Job {
  readonly id: string;
  readonly status: string;
  readonly error?: string;
  readonly generation_id?: string;
}

test.skipIf(missing)(
  'one of three instances is killed again and again: nothing is lost, every video ends once, all is delivered',
  async () => {
    const [upstream, films, announcements, broadcasts, database] = await Promise.all([
      startScriptedUpstream(),
      startVideoUpstream(openai),
      startAnnouncements(),
      startBroadcasts(),
      openDatabase(),
    ]);
    onTestFinished(async () => void (await Promise.all([upstream.close(), films.close()])));
    // Slow enough that jobs live through some deaths.
    films.onRequest = ({ method }) => (method === 'GET' ? delay(1000) : undefined);
    const base = toClusterConfig(upstream, { database, redis: redisUrl() }) as { providers: object[] };
    const config = {
      ...base,
      providers: [...base.providers, { slug: 'films', apiKey: UPSTREAM_KEY, ...openai.provider(films.origin) }],
      models: [...TEST_MODELS, FILM_MODEL],
      videos: { keepMb: 0 },
      webhooks: {
        signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
        defaultCallbackUrl: announcements.url,
        allowPrivateNetwork: true,
      },
    };
    const instances = await startInstances(3, () => config);
    const [first] = instances;
    if (first === undefined) throw new Error('no instance');
    for (const instance of instances) await expect.poll(() => instance.ready(), { timeout: 20_000 }).toBe(200);
    const { key } = await first.call<{ key: string }>('POST', '/api/v1/keys', { name: 'load', limit: 1000 });
    const destination = { type: 'webhook', name: 'all', config: { url: broadcasts.url } };
    await first.call('POST', '/api/v1/observability/destinations', destination);

    const load = startSteadyLoad({ instances, keys: [key], perSecond: CALLS_PER_SECOND, model: MODEL });
    onTestFinished(() => load.stop());
    const prompts = new Map<string, string>();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const due = Math.ceil(((kill + 1) * JOBS) / KILLS) - prompts.size;
      const submitted = Array.from({ length: due }, async () => {
        const prompt = `film ${kill} ${Math.random()}`;
        return [(await submit(instances, { key, prompt, first: kill % 3 })).id, prompt] as const;
      });
      await instances[kill % 3]?.kill();
      for (const [id, prompt] of await Promise.all(submitted)) prompts.set(id, prompt);
      await delay(200);
      await instances[kill % 3]?.start();
    }
    await delay(1000);
    await load.stop();

    const acknowledged = load.outcomes.filter(({ status }) => status === 200);
    tell(`${acknowledged.length} of ${load.outcomes.length} calls succeeded through ${KILLS} deaths`);
    expect(acknowledged.length).toBeGreaterThan(load.outcomes.length / 2);
    await untilRecorded(database, load.outcomes);
    await expectExactSums(database);

    const endedAt = performance.now();
    const jobs = await Promise.all([...prompts].map(([id]) => untilEnded(first, id, key)));
    tell(`the last video ended ${Math.round(performance.now() - endedAt)} ms after the last death`);
    for (const { id, status, error } of jobs) {
      // A death between the submission and its response is told as such; no job is ordered twice.
      if (status !== 'completed') expect(error).toMatch(/^submission_unknown: /);
      expect(films.jobs.all.filter(({ prompt }) => prompt === prompts.get(id)).length).toBeLessThanOrEqual(1);
    }
    expect(new Set(jobs.map((job) => job.generation_id)).size).toBe(jobs.length);
    const announced = jobs.map(({ id, status }) => `${id}-${status}`);
    const limit = { timeout: SETTLED_LIMIT_MS, interval: 250 };
    await expect.poll(() => announced.filter((id) => !announcements.byId.has(id)), limit).toEqual([]);
    expect([...announcements.byId.keys()].filter((id) => !announced.includes(id))).toEqual([]);
    for (const bodies of announcements.byId.values()) expect(bodies.size).toBe(1);

    const unsent = (): string[] =>
      acknowledged.flatMap(({ id }) => (id !== null && !broadcasts.spansOf.has(id) ? [id] : []));
    const hasAll = await expect
      .poll(() => unsent().length, limit)
      .toBe(0)
      .then(
        () => true,
        () => false,
      );
    // What waits there, or has failed, says why.
    if (!hasAll) throw new Error(await describeUnsent(database, unsent()));
    for (const spans of broadcasts.spansOf.values()) expect(spans.size).toBe(1);
    tell(`${announcements.byId.size} announcements and ${broadcasts.spansOf.size} broadcasts have arrived`);
  },
  KILLS * 15_000 + 3 * SETTLED_LIMIT_MS,
);

/** What the database knows of generations that a destination was not sent. */
async function describeUnsent(database: string, ids: readonly string[]): Promise<string> {
  const rows = await runStatement(database, 'select row from gateway.broadcasts');
  const places = await runStatement(
    database,
    `select min(written_in::text::bigint), max(written_in::text::bigint), count(*)
     from gateway.generations where id in (${ids.map((id) => `'${id}'`).join()})`,
  );
  return `${ids.length} were not sent, from ${ids[0]} to ${ids.at(-1)}, ${JSON.stringify({ places, rows }, null, 1)}`;
}

const FILM_MODEL = {
  id: 'test/film',
  architecture: { input_modalities: ['text'], output_modalities: ['video'] },
  endpoints: [{ provider: 'films', providerModel: openai.model, pricing: { video_second: '0.1' } }],
};

interface Submission {
  readonly key: string;
  readonly prompt: string;
  /** Index of the instance that is asked first. */
  readonly first: number;
}

/** Orders a film, and again with the same key at another instance while there is no response. */
async function submit(instances: readonly Instance[], { key, prompt, first }: Submission): Promise<Job> {
  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(`${instances[(first + attempt) % instances.length]?.url}/api/v1/videos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': prompt },
      body: JSON.stringify({ model: 'test/film', prompt, duration: 4 }),
    }).catch(() => undefined);
    if (response?.ok === true) return (await response.json()) as Job;
    if (attempt > 600) throw new Error(`no film: ${response?.status} ${await response?.text()}`);
    await delay(200);
  }
}

async function untilEnded({ call }: Instance, id: string, key: string): Promise<Job> {
  const giveUpAt = performance.now() + SETTLED_LIMIT_MS;
  for (;;) {
    const job = await call<Job>('GET', `/api/v1/videos/${id}`, undefined, key);
    if (job.status !== 'pending' && job.status !== 'in_progress') return job;
    if (performance.now() > giveUpAt) throw new Error(`${id} is still ${job.status}`);
    await delay(250);
  }
}
