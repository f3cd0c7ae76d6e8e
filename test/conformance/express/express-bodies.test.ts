import { gatewayRouter } from '@model-gateway/express';
import express5, { type RequestHandler } from 'express';
import express4 from 'express-4';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { startApp } from '../../support/conformance/hosts.ts';
import { chat, withKey } from '../../support/gateways/chat.ts';
import { createTestGateway } from '../../support/gateways/test-gateway.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts';

const HELLO = { model: 'test/text', messages: [{ role: 'user', content: 'Hello!' }] };

describe.each([
  ['4', express4],
  ['5', express5],
])('on Express %s', (_, express) => {
  let upstream: ScriptedUpstream;
  const cleanups: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    upstream = await startScriptedUpstream();
    cleanups.push(upstream.close);
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  /** Serves a gateway behind these parsers; gives the address of its API. */
  const start = async (parsers: readonly RequestHandler[], bodyLimitBytes?: number): Promise<string> => {
    const { gateway, close } = createTestGateway(upstream);
    const app = express();
    for (const parser of parsers) app.use(parser);
    const host = await startApp(app.use(gatewayRouter(gateway, { bodyLimitBytes })));
    cleanups.push(close, host.close);
    return host.apiUrl;
  };

  test.each([
    ['no parser', () => []],
    ['json()', () => [express.json()]],
    ['json() and urlencoded()', () => [express.json(), express.urlencoded({ extended: true })]],
    ['json() of any type', () => [express.json({ type: () => true })]],
    ['raw() of any type', () => [express.raw({ type: () => true })]],
    ['text() of any type', () => [express.text({ type: () => true })]],
    ['urlencoded() alone', () => [express.urlencoded({ extended: true })]],
  ] satisfies [string, () => RequestHandler[]][])('takes the same bodies after %s', async (_name, parsers) => {
    const url = await start(parsers());
    const post = async (body: string, contentType?: string): Promise<[number, string]> => {
      // Bytes, because a string would bring a content type of its own.
      const response = await fetch(`${url}/chat/completions`, {
        method: 'POST',
        body: Buffer.from(body),
        headers: { ...withKey().headers, ...(contentType !== undefined && { 'content-type': contentType }) },
      });
      return [response.status, await response.text()];
    };
    const json = JSON.stringify(HELLO);
    expect(await post(json, 'application/json')).toMatchObject([200, expect.stringContaining('Hello there')]);
    expect(await post(json, 'application/json; charset=utf-8')).toMatchObject([
      200,
      expect.stringContaining('Hello there'),
    ]);
    expect(await post(json)).toMatchObject([200, expect.stringContaining('Hello there')]);
    expect(await post('{}', 'application/json')).toMatchObject([400, expect.stringContaining('messages')]);
    expect(await post(json, 'application/x-www-form-urlencoded')).toMatchObject([
      415,
      expect.stringContaining('Content-Type'),
    ]);
    expect(await post(json, 'text/plain')).toMatchObject([415, expect.stringContaining('Content-Type')]);
  });

  test.each([
    ['no parser', () => []],
    ['json()', () => [express.json({ limit: '1mb' })]],
    ['raw()', () => [express.raw({ type: () => true, limit: '1mb' })]],
  ] satisfies [string, () => RequestHandler[]][])('holds its own limit on bodies after %s', async (_name, parsers) => {
    const url = await start(parsers(), 1000);
    expect(await chat(url, HELLO)).toMatchObject({ status: 200 });
    const tooLarge = { ...HELLO, messages: [{ role: 'user', content: 'x'.repeat(2000) }] };
    expect(await chat(url, tooLarge)).toMatchObject({ status: 413, body: { error: { code: 413 } } });
  });

  test('says so when the host has used the body up', async () => {
    const drain: RequestHandler = (request, _response, next) => void request.on('end', next).resume();
    const response = await chat(await start([drain]), HELLO);
    expect(response).toMatchObject({
      status: 422,
      body: { error: { message: expect.stringContaining('The application read the body') } },
    });
  });
});
