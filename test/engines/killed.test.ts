import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { TEST_MODELS } from '../support/gateways/test-gateway.ts';
import { startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';
import { script as openai } from '../support/video-wires/openai.ts';
import { startVideoUpstream, UPSTREAM_KEY } from '../support/video-wires/video-wire-script.ts';
import { expectExactSums, untilRecorded } from './support/accounts.ts';
import { toClusterConfig } from './support/cluster-config.ts';
import { endLeases } from './support/end-leases.ts';
import { missingEngines, openDatabase, redisUrl } from './support/engines.ts';
import { type Film, FILM_MODEL, orderFilm, untilFilmEnded } from './support/film-orders.ts';
import { startInstances } from './support/instances.ts';
import { runStatement } from './support/postgres-server.ts';
import { startSteadyLoad } from './support/steady-load.ts';
import { tell } from './support/tell.ts';
import {
  type Announcement,
  type FirstReaction,
  startAnnouncements,
  startBroadcasts,
} from './support/webhook-receivers.ts';

const isFull = process.env['TEST_FULL'] === '1';
const KILLS = isFull ? 100 : 5;
/** Each with a webhook. */
const FILMS_PER_KILL = 5;
const FILMS = KILLS * FILMS_PER_KILL;
/** Of the receivers of the webhooks, in turn: attempts are under way and due when instances die. */
const REACTIONS: readonly FirstReaction[] = [
  ...(['takes', 'refuses', 'takes', 'breaks off', 'takes', 'refuses', 'takes', 'breaks off', 'takes'] as const),
  // Each of these takes 20 seconds.
  ...(isFull ? (['stays silent'] as const) : []),
];
const CALLS_PER_SECOND = isFull ? 60 : 40;
/** A dead owner's jobs are taken over within about a minute, and the last of the silent receivers follow. */
const SETTLED_LIMIT_MS = 300_000;
const MODEL = 'test/text';

test.skipIf(missingEngines)(
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
    // Slow enough that orders are under way at some deaths, and that jobs live through several.
    films.onRequest = ({ method }) => delay(method === 'GET' ? 1000 : 50);
    const base = toClusterConfig(upstream, { database, redis: redisUrl() }) as { providers: object[] };
    const config = {
      ...base,
      providers: [...base.providers, { slug: 'films', apiKey: UPSTREAM_KEY, ...openai.provider(films.origin) }],
      models: [...TEST_MODELS, FILM_MODEL],
      videos: { keepMb: 0 },
      webhooks: { signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', allowPrivateNetwork: true },
    };
    const instances = await startInstances(3, () => config);
    const [first] = instances;
    if (first === undefined) throw new Error('no instance');
    const { key } = await first.call<{ key: string }>('POST', '/api/v1/keys', { name: 'load', limit: 1000 });
    const destination = { type: 'webhook', name: 'all', config: { url: broadcasts.url } };
    await first.call('POST', '/api/v1/observability/destinations', destination);

    const load = startSteadyLoad({ instances, keys: [key], perSecond: CALLS_PER_SECOND, model: MODEL });
    onTestFinished(() => load.stop());
    const prompts = new Map<string, string>();
    const ordering: Promise<void>[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      for (let number = 0; number < FILMS_PER_KILL; number += 1) {
        const prompt = `film ${kill} ${number}`;
        const reaction = REACTIONS[ordering.length % REACTIONS.length] ?? 'takes';
        const order = { key, prompt, callbackUrl: announcements.urls[reaction], first: kill + number };
        ordering.push(orderFilm(instances, order).then(({ id }) => void prompts.set(id, prompt)));
      }
      // Before, while and after orders are at the provider.
      await delay(30 * (kill % 4));
      await instances[kill % 3]?.kill();
      await delay(200);
      await instances[kill % 3]?.start();
    }
    await delay(1000);
    await load.stop();
    const takenBefore = announcements.received.filter(({ isTaken }) => isTaken).length;
    const endedAt = performance.now();
    // An order whose owner has died is under way until its lease ends, and so is its idempotency key.
    if (!isFull) await endLeases(database);
    await Promise.all(ordering);

    const acknowledged = load.outcomes.filter(({ status }) => status === 200);
    tell(`${acknowledged.length} of ${load.outcomes.length} calls succeeded through ${KILLS} deaths`);
    expect(acknowledged.length).toBeGreaterThan(load.outcomes.length / 2);
    await untilRecorded(database, load.outcomes);

    const jobs = await Promise.all([...prompts].map(([id]) => untilFilmEnded(first, id, key, SETTLED_LIMIT_MS)));
    const incomplete = jobs.filter(({ status }) => status !== 'completed');
    tell(`the last of ${jobs.length} videos ended ${Math.round(performance.now() - endedAt)} ms after the last death`);
    tell(`of ${incomplete.length} it is unknown whether they were submitted`);
    for (const { id, error } of incomplete) {
      // A death between the submission and its response is told as such.
      expect(error, id).toMatch(/^submission_unknown: /);
    }
    for (const prompt of prompts.values()) {
      expect(films.jobs.all.filter((job) => job.prompt === prompt).length).toBeLessThanOrEqual(1);
    }
    expect(jobs).toHaveLength(FILMS);
    await untilRecorded(
      database,
      jobs.map((job) => ({ id: job.generation_id ?? 'none', status: 200 })),
    );
    const recorded = `select count(*)::int as films from gateway.generations where model = '${FILM_MODEL.id}'`;
    expect(await runStatement(database, recorded)).toEqual([{ films: FILMS }]);
    await expectExactSums(database);

    const limit = { timeout: SETTLED_LIMIT_MS, interval: 250 };
    const countOf = async (state: string) =>
      (await first.call<{ total_count: number }>('GET', `/admin/v1/webhooks/deliveries?state=${state}`)).total_count;
    await expect.poll(() => countOf('delivered'), limit).toBe(FILMS);
    expectAnnouncedWell(announcements.received, jobs);
    const { length } = announcements.received;
    tell(`${FILMS} webhooks were delivered by ${length} requests, ${takenBefore} before the last death`);

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
    tell(`${broadcasts.spansOf.size} broadcasts have arrived, ${Math.round(performance.now() - endedAt)} ms after it`);
  },
  KILLS * 15_000 + 3 * SETTLED_LIMIT_MS,
);

/** Expects that the end of every job has been taken by its receiver, under one id, which no other job has. */
function expectAnnouncedWell(received: readonly Announcement[], jobs: readonly Film[]): void {
  const messages = new Set(received.map(({ id, jobId, body }) => JSON.stringify([jobId, id, body])));
  const announced = [...messages].map((message) => JSON.parse(message) as readonly [jobId: string, id: string, string]);
  expect(announced.map(([jobId]) => jobId).toSorted()).toEqual(jobs.map(({ id }) => id).toSorted());
  expect(new Set(announced.map(([, id]) => id)).size).toBe(announced.length);
  const taken = new Set(received.flatMap(({ jobId, isTaken }) => (isTaken ? [jobId] : [])));
  expect(jobs.filter(({ id }) => !taken.has(id))).toEqual([]);
}

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
