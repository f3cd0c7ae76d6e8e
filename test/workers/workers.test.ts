import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';

import { readAll } from '../support/async/read-all.ts';
import { API_KEY, HOOK_URL, MANAGEMENT_KEY } from './addresses.ts';
import { isInstalled, startWorker, type Worker } from './start-worker.ts';

const WIRES = ['openai', 'anthropic', 'google', 'openai-responses'];
const HELLO = { messages: [{ role: 'user' as const, content: 'Hello!' }] };
/** The text of every wire's script. */
const TEXT = /\w/;

const connect = ({ url }: Worker): OpenAI => new OpenAI({ apiKey: API_KEY, baseURL: `${url}/api/v1`, maxRetries: 0 });

const ask = (worker: Worker, path: string, init: RequestInit = {}, key = API_KEY): Promise<Response> =>
  fetch(`${worker.url}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });

const chat = (worker: Worker, model: string, body: object = {}, init: RequestInit = {}): Promise<Response> =>
  ask(worker, '/api/v1/chat/completions', {
    ...init,
    method: 'POST',
    body: JSON.stringify({ model, ...HELLO, ...body }),
  });

const read = async (chunks: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<string> =>
  (await readAll(chunks)).map(({ choices }) => choices[0]?.delta.content ?? '').join('');

interface Recorded {
  readonly id: string;
  readonly cancelled: boolean;
}

/** What the worker's own listener has brought out so far. */
const recordedBy = ({ upstream }: Worker): Recorded[] =>
  upstream.bodiesOf(new URL(`${HOOK_URL}/recorded`).pathname).map((body) => JSON.parse(body) as Recorded);

describe.skipIf(!isInstalled)(
  `Workers${isInstalled ? '' : ' (skipped: Miniflare is not installed)'}`,
  { timeout: 60_000 },
  () => {
    test.each(['at-module-scope', 'at-first-request'])(
      'a gateway made %s serves every wire, streamed and not',
      async (place) => {
        const worker = await startWorker(`test/workers/${place}.ts`);
        const client = connect(worker);
        for (const wire of WIRES) {
          const whole = await client.chat.completions.create({ model: `test/${wire}`, ...HELLO });
          const text = whole.choices[0]?.message.content ?? '';
          expect(text, wire).toMatch(TEXT);
          expect(whole.usage?.total_tokens, wire).toBeGreaterThan(0);
          const stream = await client.chat.completions.create({ model: `test/${wire}`, ...HELLO, stream: true });
          expect(await read(stream), wire).toBe(text);
        }
        expect((await ask(worker, '/openapi.json')).status).toBe(200);
        expect((await ask(worker, '/api/v1/models')).status).toBe(200);
        expect((await ask(worker, '/api/v1/models', {}, 'sk-unknown')).status).toBe(401);
        expect(worker.written).not.toMatch(/error|warn/i);
      },
    );

    test('requests that come together before anything is loaded do not wait for each other', async () => {
      const worker = await startWorker('test/workers/at-module-scope.ts');
      const responses = await Promise.all(
        WIRES.flatMap((wire) => Array.from({ length: 20 }, () => chat(worker, `test/${wire}`))),
      );
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    });

    test('serves a thousand requests, of which some leave, and records each once', async () => {
      const worker = await startWorker('test/workers/at-module-scope.ts');
      const client = connect(worker);
      const ids = new Set<string>();
      const one = async (index: number): Promise<void> => {
        const model = `test/${WIRES[index % WIRES.length]}`;
        if (index % 10 === 9) {
          const leaving = await client.chat.completions.create({ model: 'test/held', ...HELLO, stream: true });
          for await (const { id } of leaving) {
            ids.add(id);
            break;
          }
        } else if (index % 2 === 0) {
          ids.add((await client.chat.completions.create({ model, ...HELLO })).id);
        } else {
          const chunks = await readAll(await client.chat.completions.create({ model, ...HELLO, stream: true }));
          expect(chunks.at(-1)?.usage?.total_tokens).toBeGreaterThan(0);
          ids.add(chunks[0]?.id ?? '');
        }
      };
      let next = 0;
      const work = async (): Promise<void> => {
        for (let index = next++; index < 1000; index = next++) await one(index);
      };
      await Promise.all(Array.from({ length: 10 }, work));
      await expect.poll(() => recordedBy(worker).length, { timeout: 10_000 }).toBe(1000);
      expect(new Set(recordedBy(worker).map(({ id }) => id))).toEqual(ids);
      expect(recordedBy(worker).filter(({ cancelled }) => cancelled)).toHaveLength(100);
      expect(worker.written).not.toMatch(/different request|hang|never/i);
    });

    test('closes the call upstream when the reader of a stream leaves', async () => {
      const worker = await startWorker('test/workers/at-module-scope.ts');
      const client = new AbortController();
      const left = worker.upstream.nextLeft();
      const response = await chat(worker, 'test/held', { stream: true }, { signal: client.signal });
      await response.body?.getReader().read();
      client.abort();
      await left;
      await expect.poll(() => recordedBy(worker).map(({ cancelled }) => cancelled)).toEqual([true]);
    });

    // workerd says nothing of a client that leaves before the response begins; the signal of the request does in production.
    test('records a call whose client has left before its response', async () => {
      const worker = await startWorker('test/workers/at-module-scope.ts');
      const client = new AbortController();
      const calling = chat(worker, 'test/silent', {}, { signal: client.signal }).catch(() => undefined);
      await expect.poll(() => worker.upstream.bodiesOf('/openai/chat/completions').length).toBe(1);
      client.abort();
      await calling;
      await expect.poll(() => recordedBy(worker).length, { timeout: 10_000 }).toBe(1);
    });

    test('every request has its own time limits and keep-alives', async () => {
      const worker = await startWorker('test/workers/at-module-scope.ts');
      for (const round of [1, 2, 3]) {
        const [whole, streamed] = await Promise.all([
          chat(worker, 'test/silent'),
          chat(worker, 'test/silent', { stream: true }),
        ]);
        expect(whole.status, `round ${round}`).toBe(408);
        expect(await streamed.text(), `round ${round}`).toMatch(/^: [^]*"code":408/);
      }
    });

    test('sends generations to their destinations before the worker ends', async () => {
      const worker = await startWorker('test/workers/at-module-scope.ts');
      const config = { url: `${HOOK_URL}/broadcast` };
      const created = await ask(
        worker,
        '/api/v1/observability/destinations',
        { method: 'POST', body: JSON.stringify({ name: 'Hook', type: 'webhook', config }) },
        MANAGEMENT_KEY,
      );
      expect(created.status, await created.clone().text()).toBe(201);
      const { id } = (await (await chat(worker, 'test/openai')).json()) as { id: string };
      await expect.poll(() => worker.upstream.bodiesOf('/hook/broadcast')).toEqual([JSON.stringify([id])]);
    });

    test('follows a video whenever its caller asks for it', async () => {
      const worker = await startWorker('test/workers/at-module-scope.ts');
      const order = { model: 'test/film', prompt: 'a fox', duration: 4 };
      const submitted = await ask(worker, '/api/v1/videos', { method: 'POST', body: JSON.stringify(order) });
      const { id } = (await submitted.json()) as { id: string };
      const look = async (): Promise<unknown> => (await ask(worker, `/api/v1/videos/${id}`)).json();
      expect(await look()).toMatchObject({ status: 'pending' });
      await expect
        .poll(look, { timeout: 20_000, interval: 500 })
        .toMatchObject({ status: 'completed', usage: { cost: 0.4 } });
      expect(await (await ask(worker, `/api/v1/videos/${id}/content`)).text()).toBe('a film');
    });

    test('the example serves its own page beside the API', async () => {
      const bindings = {
        OPENAI_BASE_URL: 'http://upstream.example/openai',
        OPENAI_API_KEY: 'sk-up',
        GATEWAY_KEY: API_KEY,
      };
      const worker = await startWorker('examples/workers/worker.mjs', bindings);
      expect(await (await fetch(worker.url)).text()).toBe('My own page');
      const client = new OpenAI({ apiKey: API_KEY, baseURL: `${worker.url}/ai/api/v1`, maxRetries: 0 });
      const request = { model: 'openai/gpt-4o-mini', ...HELLO };
      const whole = await client.chat.completions.create(request);
      expect(await read(await client.chat.completions.create({ ...request, stream: true }))).toBe(
        whole.choices[0]?.message.content,
      );
      expect((await fetch(`${worker.url}/elsewhere`)).status).toBe(404);
      await expect.poll(() => worker.written).toContain(whole.id);
    });
  },
);
