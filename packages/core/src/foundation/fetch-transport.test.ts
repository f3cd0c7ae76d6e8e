import { expect, test } from 'vitest';

import {
  createVirtualPlatform,
  settle,
  type VirtualPlatform,
} from '../../../../test/support/async/virtual-platform.ts';
import { createFetchTransport } from './fetch-transport.ts';
import { type Transport, TransportError, type TransportRequest, type TransportResponse } from './transport.ts';

interface Upstream {
  readonly transport: Transport;
  readonly platform: VirtualPlatform;
  /** Every call of fetch so far. */
  readonly calls: readonly { readonly url: unknown; readonly init: RequestInit }[];
  /** The body of the response, in the hands of the test. */
  readonly body: ReadableStreamDefaultController<Uint8Array>;
  readonly isCancelled: () => boolean;
}

/** A fetch that responds at once with a body that the test feeds, or as `respond` does. */
function upstreamOf(respond?: (init: RequestInit) => Promise<Response>): Upstream {
  const platform = createVirtualPlatform();
  const calls: { url: unknown; init: RequestInit }[] = [];
  let body!: ReadableStreamDefaultController<Uint8Array>;
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => void (body = controller),
    cancel: () => void (isCancelled = true),
  });
  const send = ((url: unknown, init: RequestInit) => {
    calls.push({ url, init });
    init.signal?.addEventListener('abort', () => body.error(init.signal?.reason));
    return (
      respond?.(init) ??
      Promise.resolve(new Response(stream, { status: 201, headers: { 'X-One': 'a', 'Content-Type': 'text/plain' } }))
    );
  }) as typeof fetch;
  return {
    transport: createFetchTransport({ fetch: send, platform }),
    platform,
    calls,
    body,
    isCancelled: () => isCancelled,
  };
}

const requestOf = (overrides: Partial<TransportRequest> = {}): TransportRequest => ({
  method: 'POST',
  url: 'https://api.example/v1/x',
  headers: { authorization: 'Bearer k' },
  body: '{"é":1}',
  signal: new AbortController().signal,
  headersTimeoutMs: 1e3,
  idleTimeoutMs: 500,
  totalTimeoutMs: 5e3,
  ...overrides,
});

const iteratorOf = (response: TransportResponse): AsyncIterator<Uint8Array> => response.body[Symbol.asyncIterator]();
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A call of fetch that hangs until its signal fires, as real ones do. */
const hanging = (init: RequestInit): Promise<Response> =>
  new Promise((_resolve, reject) => {
    const onAbort = (): void => reject(init.signal?.reason as Error);
    if (init.signal?.aborted === true) onAbort();
    else init.signal?.addEventListener('abort', onAbort);
  });

test('sends a request as it is and follows no redirect', async () => {
  const { transport, calls, body } = upstreamOf();
  const response = await transport.send(requestOf());
  expect(calls).toMatchObject([
    {
      url: 'https://api.example/v1/x',
      init: { method: 'POST', headers: { authorization: 'Bearer k' }, body: '{"é":1}', redirect: 'manual' },
    },
  ]);
  expect(response).toMatchObject({ status: 201, headers: { 'x-one': 'a', 'content-type': 'text/plain' } });
  body.enqueue(bytes('a'));
  body.enqueue(bytes('b'));
  body.close();
  let text = '';
  for await (const piece of response.body) text += new TextDecoder().decode(piece);
  expect(text).toBe('ab');
});

test('sends bytes, or no body at all', async () => {
  const { transport, calls } = upstreamOf();
  await transport.send(requestOf({ body: Uint8Array.of(1, 2) }));
  await transport.send(requestOf({ method: 'GET', body: undefined }));
  expect(calls[0]?.init.body).toEqual(Uint8Array.of(1, 2));
  expect(calls[1]?.init).not.toHaveProperty('body');
});

test('reads a response without a body as empty', async () => {
  const { transport, platform } = upstreamOf(() => Promise.resolve(new Response(null, { status: 204 })));
  const response = await transport.send(requestOf());
  expect(await iteratorOf(response).next()).toEqual({ done: true, value: undefined });
  await platform.advance(100);
  expect(platform.pendingTimers).toBe(0);
});

test('says when upstream could not be reached, and that it may have seen the request all the same', async () => {
  const cause = new TypeError('fetch failed: 10.0.0.1');
  const { transport, platform } = upstreamOf(() => Promise.reject(cause));
  const error: unknown = await transport.send(requestOf()).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TransportError);
  // A fetch does not tell whether it failed before or after sending, and only the first would be safe to repeat.
  expect(error).toMatchObject({ requestSent: true, timedOut: false, cause });
  expect((error as Error).message).not.toContain('10.0.0.1');
  await platform.advance(100);
  expect(platform.pendingTimers).toBe(0);
});

test('gives up when no headers come in time', async () => {
  const { transport, platform } = upstreamOf(hanging);
  const sent = transport.send(requestOf()).catch((thrown: unknown) => thrown);
  await platform.advance(900);
  await platform.advance(200);
  expect(await sent).toMatchObject({ name: 'TransportError', phase: 'headers', timedOut: true, requestSent: true });
});

test('gives up when upstream pauses for too long, and not before', async () => {
  const { transport, platform, body } = upstreamOf();
  const iterator = iteratorOf(await transport.send(requestOf()));
  for (let i = 0; i < 4; i += 1) {
    const next = iterator.next();
    await platform.advance(400);
    body.enqueue(bytes('x'));
    expect((await next).done).toBe(false);
  }
  const failed = iterator.next().catch((thrown: unknown) => thrown);
  await platform.advance(600);
  expect(await failed).toMatchObject({ name: 'TransportError', phase: 'body', timedOut: true });
});

test('does not blame upstream for a reader that takes its time', async () => {
  const { transport, platform, body } = upstreamOf();
  const iterator = iteratorOf(await transport.send(requestOf()));
  body.enqueue(bytes('a'));
  body.enqueue(bytes('b'));
  await iterator.next();
  await platform.advance(3000);
  expect(await iterator.next()).toMatchObject({ done: false });
});

test('gives up when the whole takes too long, however lively upstream is', async () => {
  const { transport, platform, body } = upstreamOf();
  const iterator = iteratorOf(await transport.send(requestOf()));
  let failed: unknown;
  for (let i = 0; i < 20 && failed === undefined; i += 1) {
    const next = iterator.next().catch((thrown: unknown) => void (failed = thrown));
    await platform.advance(300);
    if (failed === undefined) body.enqueue(bytes('x'));
    await next;
  }
  expect(failed).toMatchObject({ name: 'TransportError', phase: 'body', timedOut: true });
  expect(platform.monotonicNow()).toBeLessThan(5500);
});

test('calls a response that breaks off cut short', async () => {
  const { transport, body } = upstreamOf();
  const iterator = iteratorOf(await transport.send(requestOf()));
  body.enqueue(bytes('a'));
  await iterator.next();
  const cause = new TypeError('terminated');
  body.error(cause);
  await expect(iterator.next()).rejects.toMatchObject({
    name: 'TransportError',
    phase: 'body',
    requestSent: true,
    timedOut: false,
    cause,
  });
});

test('rejects with the reason of its signal, before, during and after the headers', async () => {
  const reason = new Error('the client left');
  const before = upstreamOf(hanging);
  await expect(before.transport.send(requestOf({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);

  const during = new AbortController();
  const sent = upstreamOf(hanging).transport.send(requestOf({ signal: during.signal }));
  await settle();
  during.abort(reason);
  await expect(sent).rejects.toBe(reason);

  const after = new AbortController();
  const iterator = iteratorOf(await upstreamOf().transport.send(requestOf({ signal: after.signal })));
  const next = iterator.next();
  after.abort(reason);
  await expect(next).rejects.toBe(reason);
});

test('closes the connection and forgets its limits when the reader leaves', async () => {
  const { transport, platform, body, isCancelled } = upstreamOf();
  const iterator = iteratorOf(await transport.send(requestOf()));
  body.enqueue(bytes('a'));
  await iterator.next();
  await iterator.return?.();
  expect(isCancelled()).toBe(true);
  await platform.advance(100);
  expect(platform.pendingTimers).toBe(0);
});

test('uses the fetch of the runtime when it is given none', async () => {
  const transport = createFetchTransport({ platform: createVirtualPlatform() });
  const response = await transport.send(requestOf({ method: 'GET', body: undefined, url: 'data:text/plain,hi' }));
  expect(new TextDecoder().decode((await iteratorOf(response).next()).value as Uint8Array)).toBe('hi');
});
