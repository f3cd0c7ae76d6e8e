import { once } from 'node:events';
import { connect } from 'node:net';

import fc from 'fast-check';
import { expect } from 'vitest';

import { damage, damaged } from '../../support/formats/damaged-bytes.ts';
import { startFaultGateway } from '../../support/gateways/fault-gateway.ts';
import { TEST_KEY } from '../../support/gateways/test-gateway.ts';
import { respondWell, startRawUpstream } from '../../support/upstreams/raw-upstream.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

const BODY = JSON.stringify({ model: 'test/model', messages: [{ role: 'user', content: 'Hello é' }] });

const requests = fc
  .record({
    method: fc.constantFrom('POST', 'GET', 'PUT', 'OPTIONS', 'TRACE', 'post', 'P OST', ''),
    path: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom('/api/v1/chat/completions', '/api/v1/models?a=%zz', '/', '//', '*', '/%00'),
      },
      fc.webPath(),
      fc.string({ maxLength: 30 }),
    ),
    version: fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9'),
    headers: fc.array(
      fc.oneof(
        fc.constantFrom(
          `authorization: Bearer ${TEST_KEY}`,
          'content-type: application/json',
          `content-length: ${Buffer.byteLength(BODY)}`,
          'content-length: 5',
          'content-length: -1',
          'transfer-encoding: chunked',
          'transfer-encoding: gzip, chunked',
          'content-encoding: gzip',
          'expect: 100-continue',
          'upgrade: websocket',
          'connection: upgrade, close',
          'host: a',
          'host: b',
        ),
        fc
          .tuple(fc.string({ maxLength: 10 }), fc.string({ maxLength: 20 }))
          .map(([name, value]) => `${name}: ${value}`),
      ),
      { maxLength: 8 },
    ),
    body: fc.constantFrom(BODY, '', '5\r\nhello\r\n0\r\n\r\n', 'ffffffffff\r\n'),
    done: fc.option(fc.array(damage, { minLength: 1, maxLength: 2 }), { freq: 2, nil: [] }),
  })
  .map(({ method, path, version, headers, body, done }) => {
    const text = `${method} ${path} ${version}\r\nhost: x\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n${body}`;
    return damaged(new TextEncoder().encode(text), done);
  });

/** Sends bytes and ends; resolves with all that comes back. */
async function exchange(port: number, bytes: Uint8Array): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const pieces: Buffer[] = [];
  socket.on('data', (piece) => pieces.push(piece));
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  socket.on('end', () => socket.end());
  socket.end(bytes);
  await closed;
  return Buffer.concat(pieces).toString('latin1');
}

export const rawHttp: FuzzTarget = {
  name: 'raw-http',
  promise: 'Whatever bytes arrive at the socket, the next request is served',
  runs: 200,
  async prepare() {
    const upstream = await startRawUpstream((request) => respondWell(request));
    const gateway = await startFaultGateway([upstream]);
    return fc.asyncProperty(requests, async (bytes) => {
      const answer = await exchange(gateway.port, bytes);
      // 505: the version of HTTP is not one that is spoken here.
      for (const [, status = ''] of answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)) {
        expect(Number(status) < 500 || ['501', '505'].includes(status), answer).toBe(true);
      }
      expect(answer).not.toContain('Internal Server Error');
      const next = await gateway.ask();
      expect(next.status).toBe(200);
      await next.text();
    });
  },
};
