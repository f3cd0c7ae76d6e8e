import OpenAI from 'openai';
import { expect, test, vi } from 'vitest';

import { chunksOf, parseFrames } from '../support/gateways/core-gateway.ts';
import { type FaultGateway, startFaultGateway } from '../support/gateways/fault-gateway.ts';
import { TEST_KEY, TEST_MANAGEMENT_KEY } from '../support/gateways/test-gateway.ts';
import { chunkings } from '../support/upstreams/chunkings.ts';
import {
  type RawRequest,
  respondWell,
  startRawUpstream,
  STREAM_HEAD,
  toHttpChunk,
  toRawResponse,
  toTextEvent,
} from '../support/upstreams/raw-upstream.ts';

const CANCELLED = { code: 403, metadata: { reason: 'cancelled_by_operator' } };

interface Running {
  readonly data: readonly { readonly id: string; readonly state: string; readonly attempts: number }[];
  readonly total_count: number;
}

const headers = { authorization: `Bearer ${TEST_MANAGEMENT_KEY}` };

async function listRunning({ listener }: FaultGateway): Promise<Running> {
  const response = await fetch(`${listener.url}/admin/v1/generations/running`, { headers });
  return (await response.json()) as Running;
}

async function cancelOnly(gateway: FaultGateway): Promise<number> {
  const { data } = await listRunning(gateway);
  expect(data).toHaveLength(1);
  return cancel(gateway, data[0]?.id ?? '');
}

async function cancel({ listener }: FaultGateway, id: string): Promise<number> {
  return (await fetch(`${listener.url}/admin/v1/generations/${id}/cancel`, { method: 'POST', headers })).status;
}

test.each<[string, (request: RawRequest) => void]>([
  ["before upstream's headers", () => undefined],
  ["between upstream's headers and its first token", ({ socket }) => void socket.write(STREAM_HEAD)],
])('a call that is cancelled %s gets 403, and its upstream is closed', async (_name, serve) => {
  for (const stream of [true, false]) {
    const upstream = await startRawUpstream(serve);
    const gateway = await startFaultGateway([upstream]);
    const arrived = upstream.nextRequest();
    const asking = gateway.ask({ stream });
    const { closed } = await arrived;
    expect(await cancelOnly(gateway)).toBe(200);
    await closed;
    const response = await asking;
    expect([response.status, await response.json()]).toMatchObject([403, { error: CANCELLED }]);
    expect((await gateway.record()).record.generation).toMatchObject({ cancelled: true, cancelled_by: 'operator' });
  }
});

test.each(chunkings([toTextEvent('Half '), toTextEvent('a text')]))(
  'a stream that is cancelled in its middle ends with what came, an error and [DONE], and its upstream is closed (%s)',
  async (_name, pieces) => {
    const upstream = await startRawUpstream(({ socket }) => {
      socket.setNoDelay(true);
      socket.write(STREAM_HEAD);
      for (const bytes of pieces) socket.write(toHttpChunk(Buffer.from(bytes).toString()));
    });
    const gateway = await startFaultGateway([upstream]);
    const arrived = upstream.nextRequest();
    const response = await gateway.ask({ stream: true });
    const { closed } = await arrived;
    const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('a text')) text += (await reader.read()).value ?? '';
    expect(await cancelOnly(gateway)).toBe(200);
    await closed;
    for (let step = await reader.read(); !step.done; step = await reader.read()) text += step.value;
    expect(chunksOf(text).at(-1)).toMatchObject({ error: CANCELLED, choices: [{ finish_reason: 'error' }] });
    expect(parseFrames(text).at(-1)).toBe('done');
    const { record, content } = await gateway.record();
    expect(content?.output.completion).toBe('Half a text');
    expect(record.costNanoUsd).toBeGreaterThan(0);
    expect(gateway.gateway.stats().openCalls).toBe(0);
  },
);

test('a whole response that is cancelled in its middle is a 403, and its connection serves the next request', async () => {
  const upstream = await startRawUpstream(({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"id":');
  });
  const gateway = await startFaultGateway([upstream]);
  const arrived = upstream.nextRequest();
  const asking = gateway.ask();
  const { closed } = await arrived;
  expect(await cancelOnly(gateway)).toBe(200);
  await closed;
  expect((await asking).status).toBe(403);
  expect((await listRunning(gateway)).total_count).toBe(0);
});

test.each([false, true])(
  'an official client does not repeat a call that was cancelled (stream: %s)',
  async (stream) => {
    const upstream = await startRawUpstream(() => undefined);
    const gateway = await startFaultGateway([upstream]);
    const client = new OpenAI({ baseURL: gateway.apiUrl, apiKey: TEST_KEY });
    const arrived = upstream.nextRequest();
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const failing = client.chat.completions
      .create({ model: 'test/model', messages, stream })
      .catch((error: unknown) => error);
    await arrived;
    expect(await cancelOnly(gateway)).toBe(200);
    expect(await failing).toBeInstanceOf(OpenAI.PermissionDeniedError);
    expect(upstream.requests).toHaveLength(1);
  },
);

test.each([false, true])(
  'a call is cancelled that waits for a second endpoint, and the others go on waiting (stream: %s)',
  async (stream) => {
    const CALLS = 25;
    const failing: RawRequest[] = [];
    const first = await startRawUpstream((request) => {
      failing.push(request);
      if (failing.length < CALLS) return;
      for (const { socket } of failing) socket.write(toRawResponse(500, '{"error":{"message":"down"}}'));
    });
    const held: RawRequest[] = [];
    let isProven = false;
    const second = await startRawUpstream((request) => (isProven ? respondWell(request) : held.push(request)));
    const gateway = await startFaultGateway([first, second]);
    const asking = Array.from({ length: CALLS }, () => gateway.ask({ stream }).then(({ status }) => status));
    // The retry budget lets some through; the others wait for what becomes of those.
    const waiting = await vi.waitFor(async () => {
      const { data } = await listRunning(gateway);
      const left = data.filter(({ state }) => state === 'waiting');
      expect(left.length + held.length).toBe(CALLS);
      return left;
    }, 10_000);
    expect(waiting.length).toBeGreaterThan(1);
    expect(await cancel(gateway, waiting[0]?.id ?? '')).toBe(200);
    expect(await Promise.race(asking)).toBe(403);
    isProven = true;
    for (const request of held) respondWell(request);
    const statuses = await Promise.all(asking);
    expect(statuses.filter((status) => status === 403)).toHaveLength(1);
    expect(statuses.filter((status) => status === 200)).toHaveLength(CALLS - 1);
  },
);
