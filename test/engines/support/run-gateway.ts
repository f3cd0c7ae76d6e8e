/**
 * A process with a gateway on the database `argv[2]`, in which time passes `argv[3]` times as fast since the moment
 * `argv[4]`. Reads requests as lines of JSON, and writes responses and what it asks of others as such.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

import { createGateway, type Platform, type Provider, type Transport } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createNodePlatform } from '@model-gateway/node';
import { createPostgresStore } from '@model-gateway/postgres';

import { createBroadcastOptions } from '../../support/broadcast/broadcast-options.ts';
import { bodyOf } from '../../support/gateways/body-of.ts';

const [, , url = '', speedText = '1', sinceText = '0'] = process.argv;
const [speed, since] = [Number(speedText), Number(sinceText)];

/** Writes a line at once and whole: a pipe that is full takes nothing, or a part of it. */
function print(event: object): void {
  const bytes = Buffer.from(`${JSON.stringify(event)}\n`);
  for (let written = 0; written < bytes.length;) {
    try {
      written += writeSync(1, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

const real = createNodePlatform();
const platform: Platform = {
  ...real,
  now: () => since + (Date.now() - since) * speed,
  monotonicNow: () => real.monotonicNow() * speed,
  setTimer: (callback, delayMs) => real.setTimer(callback, delayMs / speed),
};

const MADE_AFTER_MS = 100_000;
let submissions = 0;
const film: Provider = {
  slug: 'film',
  name: 'Film',
  dataPolicy: { training: false, retainsPrompts: true },
  video: {
    honoursIdempotencyKey: false,
    async start() {
      submissions += 1;
      await new Promise<void>((resolve) => real.setTimer(resolve, 50));
      const upstreamId = `${process.pid}-${submissions}-${platform.now()}`;
      print({ type: 'submitted', upstreamId });
      return { upstreamId, status: 'pending', retryAfterMs: 2000 };
    },
    async poll({ job: { upstreamId } }) {
      print({ type: 'poll', upstreamId });
      const isMade = platform.now() - Number(upstreamId.split('-')[2]) > MADE_AFTER_MS;
      return isMade ? { status: 'completed', outputs: [{}] } : { status: 'in_progress', retryAfterMs: 2000 };
    },
    fetch: () => Promise.reject(new Error('nobody asks for it')),
  },
};

async function* toBody(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

const COMPLETION = JSON.stringify({
  id: 'c',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const upstream: Transport = {
  send: async () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: toBody(COMPLETION) }),
};
/** Receives webhooks and broadcasts, and is slow enough to be in the middle of one when its process is killed. */
const receiver: Transport = {
  async send({ url: address, headers, body }) {
    await new Promise<void>((resolve) => real.setTimer(resolve, 20));
    print({ type: 'received', address, id: headers['webhook-id'], body: String(body) });
    return { status: 200, headers: {}, body: toBody('ok') };
  },
};

const log = (message: string, fields?: object): void => print({ type: 'log', message, ...fields });
const store = await createPostgresStore({ url, retentionDays: 100_000 });
const gateway = createGateway({
  store,
  platform,
  logger: { info: log, warn: log, error: log },
  providers: [
    film,
    createOpenAiProvider({ slug: 'acme', name: 'Acme', baseUrl: 'https://acme.example/v1', transport: upstream }),
  ],
  models: [
    {
      id: 'acme/film',
      architecture: { input_modalities: ['text'], output_modalities: ['video'] },
      endpoints: [{ provider: 'film', providerModel: 'film-1', pricing: { video_second: '0.1' } }],
    },
    { id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'chat-1' }] },
  ],
  bootstrapKeys: [
    { key: 'sk-api', kind: 'api', name: 'dev' },
    { key: 'sk-boss', kind: 'management', name: 'boss' },
  ],
  webhooks: { signingSecrets: ['a secret of the test'], findUrlProblem: () => undefined, transport: receiver },
  broadcast: { ...createBroadcastOptions(), transport: receiver },
});
await gateway.start();
print({ type: 'started', signInToken: gateway.createSignInToken() });

interface Asked {
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { number, method, path, headers, body } = JSON.parse(line) as Asked;
  const [pathname = '', query = ''] = path.split('?');
  void gateway
    .handle({
      method,
      path: pathname,
      query,
      headers: { host: 'gateway.example', 'content-type': 'application/json', ...headers },
      ...bodyOf(JSON.stringify(body)),
      signal: new AbortController().signal,
      baseUrl: 'https://gateway.example',
    })
    .then((response) =>
      print({ type: 'response', number, status: response.status, headers: response.headers, text: response.body }),
    );
}
await gateway.close();
await store.close();
