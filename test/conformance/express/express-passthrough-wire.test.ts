import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

import { gatewayRouter, type PassthroughOptions } from '@model-gateway/express';
import compression from 'compression';
import express5 from 'express';
import express4 from 'express-4';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { createDeferred } from '../../support/async/deferred.ts';
import { failureOf } from '../../support/async/failure-of.ts';
import { sendRaw } from '../../support/clients/send-raw.ts';
import { startApp } from '../../support/conformance/hosts.ts';
import { withKey } from '../../support/gateways/chat.ts';
import { createTestGateway } from '../../support/gateways/test-gateway.ts';
import { type ForwardTarget, startForwardTarget } from '../../support/upstreams/forward-target.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe.each([
  ['4', express4],
  ['5', express5],
])('what passthrough sends and gives back on Express %s', (_, express) => {
  let target: ForwardTarget;
  const cleanups: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    target = await startForwardTarget();
    cleanups.push(target.close);
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  /** Serves a gateway whose passthrough leads to the target; gives the address of its API. */
  const start = async (options: Partial<PassthroughOptions> = {}): Promise<string> => {
    const { gateway, close } = createTestGateway({ baseUrl: 'http://127.0.0.1:1/v1' });
    const passthrough = { target: target.address, ...options };
    const app = express().use(compression({ threshold: 0 }), gatewayRouter(gateway, { passthrough }));
    const host = await startApp(app);
    cleanups.push(close, host.close);
    return host.apiUrl;
  };

  test.each([{}, { expect: '100-continue' }])(
    'forwards nothing that belongs to the host or the connection (%j)',
    async (more) => {
      await sendRaw(await start(), '/api/v1/fine_tuning/jobs', {
        method: 'POST',
        headers: {
          ...withKey().headers,
          ...JSON_TYPE,
          ...more,
          cookie: 'session=secret',
          origin: 'https://app.example',
          forwarded: 'for=10.0.0.7',
          te: 'trailers',
          'x-forwarded-for': '10.0.0.7',
          'x-real-ip': '10.0.0.7',
          'sec-fetch-site': 'cross-site',
          'proxy-authorization': 'Basic c2VjcmV0',
          'x-title': 'My app',
          'content-length': '2',
        },
        body: '{}',
      });
      const headers = target.forwarded[0]?.headers ?? {};
      expect(headers).toMatchObject({ ...withKey().headers, ...JSON_TYPE, 'x-title': 'My app' });
      expect(Object.keys(headers).toSorted()).toEqual([
        'authorization',
        'connection',
        'content-length',
        'content-type',
        'host',
        'x-title',
      ]);
    },
  );

  test('gives back what a client of the API needs, and nothing that speaks for the origin of the target', async () => {
    target.respondWith((response) => {
      response.writeHead(429, {
        ...JSON_TYPE,
        'retry-after': '3',
        'x-generation-id': 'gen-1',
        'set-cookie': 'upstream=1',
        'access-control-allow-origin': '*',
        'strict-transport-security': 'max-age=1',
        'content-security-policy': 'default-src none',
      });
      response.end('{"error":{"code":429,"message":"slow down"}}');
    });
    const { status, headers, body } = await sendRaw(await start(), '/api/v1/fine_tuning/jobs', {
      headers: withKey().headers,
    });
    expect({ status, body }).toEqual({ status: 429, body: '{"error":{"code":429,"message":"slow down"}}' });
    expect(headers).toMatchObject({ ...JSON_TYPE, 'retry-after': '3', 'x-generation-id': 'gen-1' });
    for (const name of ['set-cookie', 'access-control-allow-origin', 'strict-transport-security']) {
      expect(headers).not.toHaveProperty(name);
    }
    // A page of the target would have the origin of the host.
    expect(headers['content-security-policy']).toMatch(/^sandbox allow-same-origin; default-src 'none';/);
  });

  test('follows no redirect', async () => {
    target.respondWith((response) => response.writeHead(307, { location: `${target.address}/other` }).end());
    const response = await sendRaw(await start({ apiKey: 'sk-or-v1-operator' }), '/api/v1/fine_tuning/jobs', withKey());
    expect(response).toMatchObject({ status: 307, headers: { location: `${target.address}/other` } });
    expect(target.forwarded).toHaveLength(1);
  });

  test('answers a 502 in the form of the API when the target cannot be reached', async () => {
    const url = await start();
    await target.close();
    cleanups.shift();
    const response = await fetch(`${url}/fine_tuning/jobs`, { method: 'POST', headers: withKey().headers, body: '{}' });
    expect(response.status).toBe(502);
    expect(await response.json()).toEqual({
      error: {
        code: 502,
        message: 'The upstream gateway cannot be reached',
        metadata: { error_type: 'provider_unavailable' },
      },
    });
  });

  test('streams chunk by chunk through compression()', async () => {
    const released = createDeferred();
    target.respondWith((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: first\n\n');
      void released.promise.then(() => response.end('data: [DONE]\n\n'));
    });
    const response = await fetch(`${await start()}/fine_tuning/jobs/job/events`, withKey());
    const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe('data: first\n\n');
    released.resolve();
    expect((await reader.read()).value).toBe('data: [DONE]\n\n');
    expect((await reader.read()).done).toBe(true);
  });

  test('never ends a response as if it were whole when the target broke it off', async () => {
    target.respondWith((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: first\n\n', () => response.destroy());
    });
    const response = await fetch(`${await start()}/fine_tuning/jobs/job/events`, withKey());
    expect(await failureOf(response.text())).toBeInstanceOf(TypeError);
  });

  test('closes the connection to the target when the client leaves', async () => {
    const asked = createDeferred<ServerResponse>();
    target.respondWith((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: first\n\n');
      asked.resolve(response);
    });
    const leaving = new AbortController();
    await fetch(`${await start()}/fine_tuning/jobs/job/events`, { ...withKey(), signal: leaving.signal });
    const response = await asked.promise;
    const closed = once(response, 'close');
    leaving.abort();
    await closed;
    expect(response.writableFinished).toBe(false);
  });
});
