import { connect, type Socket } from 'node:net';

import { type Gateway, type GatewayError, toErrorBody } from '@model-gateway/core';
import { gatewayRouter } from '@model-gateway/express';
import express from 'express';
import { describe, expect, onTestFinished, test } from 'vitest';

import { createDeferred } from '../support/async/deferred.ts';
import { HOST_KINDS, startApp, startHost } from '../support/conformance/hosts.ts';
import { createTestGateway } from '../support/gateways/test-gateway.ts';
import { chunkings } from '../support/upstreams/chunkings.ts';
import { startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';

const LIMIT_BYTES = 1000;

/** A gateway that reads the body of every request in pieces, with a limit of its own. */
async function startReader(kind: (typeof HOST_KINDS)[number]) {
  const upstream = await startScriptedUpstream();
  const { gateway, close } = createTestGateway(upstream);
  const failed = createDeferred<unknown>();
  const begun = createDeferred<undefined>();
  const reader: Gateway = {
    ...gateway,
    async handle(request) {
      let text = '';
      try {
        for await (const piece of request.openBody(LIMIT_BYTES)) {
          begun.resolve(undefined);
          text += Buffer.from(piece).toString('latin1');
        }
        return { status: 200, headers: {}, body: Buffer.from(text, 'latin1') };
      } catch (error) {
        failed.resolve(error);
        const { code, message } = toErrorBody(error as GatewayError);
        return { status: code, headers: {}, body: message };
      }
    },
  };
  const host = await startHost(kind, reader);
  onTestFinished(async () => {
    await host.close();
    await close();
    await upstream.close();
  });
  return { url: `${host.apiUrl}/chat/completions`, failed: failed.promise, begun: begun.promise };
}

/** Sends a head that declares this length, and the beginning of the body. */
function sendRaw(url: string, contentLength: number, beginning: string): Socket {
  const { hostname, port, pathname, host } = new URL(url);
  const client = connect(Number(port), hostname);
  onTestFinished(() => void client.destroy());
  client.on('error', () => undefined);
  client.write(`POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: ${contentLength}\r\n\r\n${beginning}`);
  return client;
}

describe.each(HOST_KINDS)('%s', (kind) => {
  test.each(chunkings(['Grüße ', 'an ', 'alle']))('hands a body over in pieces, sent %s', async (_name, pieces) => {
    const { url } = await startReader(kind);
    const body = ReadableStream.from(pieces);
    const response = await fetch(url, { method: 'POST', body, duplex: 'half' });
    expect(await response.text()).toBe('Grüße an alle');
  });

  test('refuses a body above the limit of its reader with 413, declared or not', async () => {
    const { url } = await startReader(kind);
    const declared = await fetch(url, { method: 'POST', body: new Uint8Array(LIMIT_BYTES + 1) });
    expect([declared.status, await declared.text()]).toEqual([413, 'The body is larger than 1000 bytes']);
    const pieces = ReadableStream.from([new Uint8Array(LIMIT_BYTES), new Uint8Array(1)]);
    const undeclared = await fetch(url, { method: 'POST', body: pieces, duplex: 'half' });
    expect([undeclared.status, await undeclared.text()]).toEqual([413, 'The body is larger than 1000 bytes']);
  });

  test('takes a body of exactly the limit', async () => {
    const { url } = await startReader(kind);
    const response = await fetch(url, { method: 'POST', body: new Uint8Array(LIMIT_BYTES) });
    expect([response.status, (await response.bytes()).byteLength]).toEqual([200, LIMIT_BYTES]);
  });

  test('refuses a body declared above the limit before any of it comes', async () => {
    const { url, failed } = await startReader(kind);
    sendRaw(url, LIMIT_BYTES + 1, '');
    expect(await failed).toMatchObject({ code: 'payload_too_large' });
  });

  test('ends the pieces with an error when the client leaves', async () => {
    const { url, begun, failed } = await startReader(kind);
    const client = sendRaw(url, 100, 'half');
    await begun;
    client.destroy();
    expect(await failed).toMatchObject({ code: 'client_closed_request' });
  });
});

test('an application that has read the body leaves none to read in pieces', async () => {
  const upstream = await startScriptedUpstream();
  const { gateway, close } = createTestGateway(upstream);
  onTestFinished(close);
  onTestFinished(upstream.close);
  const failed = createDeferred<unknown>();
  const reader: Gateway = {
    ...gateway,
    async handle(request) {
      await request.openBody()[Symbol.asyncIterator]().next().catch(failed.resolve);
      return { status: 422, headers: {}, body: null };
    },
  };
  const app = express().use((request, _response, next) => void request.resume().on('end', next));
  const host = await startApp(app.use(gatewayRouter(reader)));
  onTestFinished(host.close);
  await fetch(`${host.apiUrl}/chat/completions`, { method: 'POST', body: new Uint8Array(3) });
  expect(await failed.promise).toMatchObject({ code: 'unprocessable' });
});
