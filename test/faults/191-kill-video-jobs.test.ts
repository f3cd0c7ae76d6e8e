import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { verifyWebhook } from '@model-gateway/core';
import { expect, type onTestFinished, test } from 'vitest';

import { writeTestConfig } from '../support/gateways/write-test-config.ts';
import { script as gateway } from '../support/video-wires/gateway.ts';
import { script as google } from '../support/video-wires/google.ts';
import { script as replicate } from '../support/video-wires/replicate.ts';
import {
  startVideoUpstream,
  UPSTREAM_KEY,
  type VideoUpstream,
  type VideoWireScript,
} from '../support/video-wires/video-wire-script.ts';

const ROUNDS = process.env['TEST_FULL'] === '1' ? 50 : 1;
const SCRIPT = fileURLToPath(new URL('../support/videos/video-server.ts', import.meta.url));
const certificate = (name: string): string =>
  fileURLToPath(new URL(`../support/certificates/${name}.pem`, import.meta.url));
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const KEY = 'sk-gw-v1-videos';
const MANAGEMENT_KEY = 'sk-gw-v1-videos-management';

const POINTS = [
  'before-submit',
  'before-saving',
  'after-saving',
  'while-polling',
  'before-outbox',
  'before-delivery',
  'while-delivering',
] as const;

interface Announced {
  readonly id: string;
  readonly body: string;
}

/** Takes announcements until the test is over; `onCall` may keep one unanswered. */
async function startReceiver(onCall: (body: string) => boolean, onFinished: typeof onTestFinished) {
  const announced: Announced[] = [];
  const tls = { key: readFileSync(certificate('good.key')), cert: readFileSync(certificate('good')) };
  const server = createServer(tls, (request, response) => {
    void text(request).then(async (body) => {
      const signature = request.headers['x-service-signature'] as string;
      await verifyWebhook({ body, signature, secrets: [SECRET] });
      announced.push({ id: request.headers['webhook-id'] as string, body });
      if (onCall(body)) response.end('ok');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { announced, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

interface Server {
  readonly api: string;
  readonly child: ChildProcess;
  readonly died: Promise<unknown>;
}

async function startServer(config: string): Promise<Server> {
  const marks = join(dirname(config), 'marks');
  mkdirSync(marks, { recursive: true });
  const child = spawn(process.execPath, [SCRIPT, config, marks], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate('authority') },
  });
  const died = once(child, 'close');
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (data: Buffer) => {
      printed += data.toString();
      if (printed.includes('\n')) resolve();
    });
    void died.then(() => reject(new Error('the server ended before it listened')));
  });
  return { api: `${printed.trim()}/api/v1`, child, died };
}

interface Job {
  readonly id: string;
  readonly status: string;
  readonly error?: string;
  readonly generation_id?: string;
}

async function submit({ api }: Server, prompt: string): Promise<Job> {
  const response = await fetch(`${api}/videos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'idempotency-key': prompt },
    body: JSON.stringify({ model: 'test/film', prompt, duration: 4 }),
  });
  expect(response.status).toBe(202);
  return (await response.json()) as Job;
}

async function ask<T>(server: Server, path: string, key = KEY): Promise<T> {
  const response = await fetch(server.api.replace('/api/v1', '') + path, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

async function untilEnded(server: Server, id: string): Promise<Job> {
  for (;;) {
    const job = await ask<Job>(server, `/api/v1/videos/${id}`);
    if (job.status !== 'pending' && job.status !== 'in_progress') return job;
    await delay(100);
  }
}

/** Whose submissions a crash makes unknown. */
const LOST: Readonly<Record<string, readonly string[]>> = {
  gateway: [],
  // A list settles what upstream has; what it has not is not sent again.
  replicate: ['before-submit'],
  google: ['before-submit', 'before-saving'],
};

const WIRES: readonly [string, string, VideoWireScript][] = [
  ['that honours an idempotency key', 'gateway', gateway],
  ['that has a list of its jobs', 'replicate', replicate],
  ['that has neither', 'google', google],
];

// Side by side: most of the time they wait, for processes to start and for what is due.
test.concurrent.for(WIRES)(
  '191: every job ends, once and announced, though kill -9 comes at any point, with an upstream %s',
  { timeout: 120_000 + ROUNDS * 60_000 },
  async ([, name, script], { onTestFinished }) => {
    const killed = new Set<string>();
    let server: Server | undefined;
    /** Kills for a point outside the process, once. */
    const killOutside = (point: (typeof POINTS)[number], prompt: string | undefined): boolean => {
      if (prompt?.startsWith(`kill at ${point} `) !== true || killed.has(prompt)) return false;
      killed.add(prompt);
      return server?.child.kill('SIGKILL') === true;
    };
    const upstream: VideoUpstream = await startVideoUpstream(script);
    onTestFinished(() => upstream.close());
    upstream.onRequest = ({ method, path }) => {
      const looked = upstream.jobs.all.find(({ id }) => path.endsWith(`/${id}`));
      if (method === 'GET') killOutside('while-polling', looked?.prompt);
    };
    const receiver = await startReceiver((body) => {
      const { data } = JSON.parse(body) as { data: { id: string } };
      return !killOutside('while-delivering', promptOf.get(data.id));
    }, onTestFinished);
    const config = writeTestConfig(
      {
        auth: { bootstrapKeys: [{ key: KEY }, { key: MANAGEMENT_KEY, kind: 'management' }] },
        webhooks: { signingSecret: SECRET, defaultCallbackUrl: receiver.url, allowPrivateNetwork: true },
        videos: { keepMb: 0 },
        providers: [{ slug: 'up', apiKey: UPSTREAM_KEY, ...script.provider(upstream.origin) }],
        models: [
          {
            id: 'test/film',
            architecture: { input_modalities: ['text'], output_modalities: ['video'] },
            endpoints: [{ provider: 'up', providerModel: script.model, pricing: { video_second: '0.1' } }],
          },
        ],
      },
      onTestFinished,
    );
    const promptOf = new Map<string, string>();
    onTestFinished(() => void server?.child.kill('SIGKILL'));

    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const point of POINTS) {
        server = await startServer(config);
        const prompt = `kill at ${point} ${round}`;
        const acknowledged = await submit(server, prompt).catch(() => undefined);
        if (acknowledged !== undefined) promptOf.set(acknowledged.id, prompt);
        const [, signal] = (await server.died) as [unknown, string];
        expect(signal).toBe('SIGKILL');
      }
    }

    server = await startServer(config);
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const point of POINTS) {
        const prompt = `kill at ${point} ${round}`;
        // A client that was told nothing asks again with its key, and is told of the job that there is.
        const { id } = await submit(server, prompt);
        if (promptOf.get(id) !== undefined) expect(promptOf.get(id)).toBe(prompt);
        const { status, error, generation_id: generationId } = await untilEnded(server, id);
        const submissions = upstream.jobs.all.filter((job) => job.prompt === prompt).length;
        if (LOST[name]?.includes(point) === true) {
          expect({ point, status, error }).toMatchObject({ status: 'failed' });
          expect(error).toMatch(/^submission_unknown: /);
          expect(submissions).toBe(point === 'before-submit' ? 0 : 1);
        } else {
          expect({ point, status, submissions }).toEqual({ point, status: 'completed', submissions: 1 });
        }
        await ask(server, `/api/v1/generation?id=${generationId}`);
        while (!receiver.announced.some((one) => one.id === `${id}-${status}`)) await delay(50);
      }
    }
    const { total_count: deliveries } = await ask<{ total_count: number }>(
      server,
      '/admin/v1/webhooks/deliveries',
      MANAGEMENT_KEY,
    );
    // No job beside those that were asked for.
    expect(deliveries).toBe(ROUNDS * POINTS.length);
    const bodies = new Map<string, Set<string>>();
    for (const { id, body } of receiver.announced) bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
    expect(bodies.size).toBe(deliveries);
    for (const same of bodies.values()) expect(same.size).toBe(1);
  },
);
