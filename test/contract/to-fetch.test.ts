import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { createFetchTransport, toFetch, TransportError } from '@model-gateway/core';
import { createUndiciTransport } from '@model-gateway/node/undici';
import { describe, expect, onTestFinished, test } from 'vitest';

import { settle } from '../support/async/virtual-platform.ts';

async function open(serve: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<string> {
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const TRANSPORTS = [
  ['fetch', createFetchTransport],
  ['undici', createUndiciTransport],
] as const;

describe.each(TRANSPORTS)('a fetch over the transport of %s', (_, createTransport) => {
  const fetch = toFetch(createTransport());

  test('sends what `fetch` would, in each form of a request and of a body', async () => {
    const url = await open(async (request, response) => {
      const { method, headers } = request;
      response
        .setHeader('x-note', 'seen')
        .end(JSON.stringify([method, headers['content-type'] ?? null, await text(request)]));
    });
    const ask = async (...args: Parameters<typeof fetch>): Promise<unknown> => (await fetch(...args)).json();
    const post = (body: RequestInit['body']): RequestInit => ({ method: 'POST', body: body ?? null });
    expect(await ask(url)).toEqual(['GET', null, '']);
    expect(await ask(new URL(url), { method: 'delete' })).toEqual(['DELETE', null, '']);
    expect(await ask(new Request(url, { ...post('{}'), headers: { 'Content-Type': 'application/json' } }))).toEqual([
      'POST',
      'application/json',
      '{}',
    ]);
    expect(await ask(url, post('Hé'))).toEqual(['POST', 'text/plain;charset=UTF-8', 'Hé']);
    expect(await ask(url, post(new TextEncoder().encode('bytes')))).toEqual(['POST', null, 'bytes']);
    expect(await ask(url, post(new URLSearchParams({ a: '1' })))).toEqual([
      'POST',
      'application/x-www-form-urlencoded;charset=UTF-8',
      'a=1',
    ]);
    const form = new FormData();
    form.set('file', new Blob(['content']), 'a.txt');
    expect(await ask(url, post(form))).toEqual([
      'POST',
      expect.stringMatching(/^multipart\/form-data/),
      expect.stringContaining('content'),
    ]);
    expect((await fetch(url)).headers.get('x-note')).toBe('seen');
  });

  test('returns redirects, and responses without a body, as they are', async () => {
    const url = await open(({ url: path = '' }, response) => {
      response.writeHead(Number(path.slice(1)), { location: '/200' }).end();
    });
    for (const status of [204, 304, 302, 500]) {
      const response = await fetch(`${url}/${status}`);
      expect([response.status, await response.text()]).toEqual([status, '']);
    }
    expect((await fetch(`${url}/200`, { method: 'HEAD' })).body).toBeNull();
    await expect(fetch(`${url}/200`, { method: 'PATCH' })).rejects.toThrow('has no method PATCH');
  });

  test('keeps its limits, and rejects with the error of the transport', async () => {
    const url = await open(() => undefined);
    const hasty = toFetch(createTransport(), { headersMs: 50 });
    const error = await hasty(url).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ timedOut: true });
  });

  test('rejects with the reason of the signal, before and within the response', async () => {
    const url = await open((_request, response) => response.write('a'));
    const reason = new Error('enough');
    await expect(fetch(url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const ending = new AbortController();
    const reader = (await fetch(url, { signal: ending.signal })).body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('a');
    const next = reader?.read();
    ending.abort(reason);
    await expect(next).rejects.toBe(reason);
  });

  test('closes the connection of a response that is left while a piece is on its way', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const url = await open((_request, response) => {
      closed = once(response, 'close');
      response.write('a');
    });
    const { body } = await fetch(url);
    const reader = body?.getReader();
    await reader?.read();
    const reading = reader?.read();
    // By then the stream has asked for the piece.
    await settle();
    await reader?.cancel();
    await closed;
    expect(await reading).toEqual({ done: true, value: undefined });
  });
});
