import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import * as tls from 'node:tls';

import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';

import { startFaultGateway } from '../support/gateways/fault-gateway.ts';
import { respondWell, type RawUpstream, startRawUpstream, toRawResponse } from '../support/upstreams/raw-upstream.ts';

const pem = (name: string): string =>
  readFileSync(new URL(`../support/certificates/${name}.pem`, import.meta.url), 'utf8');

const trusted = tls.getCACertificates('default');
beforeAll(() => tls.setDefaultCACertificates([...trusted, pem('authority')]));
afterAll(() => tls.setDefaultCACertificates(trusted));
afterEach(() => {
  vi.unstubAllEnvs();
});

async function startTlsUpstream(name: string): Promise<RawUpstream & { readonly rawConnections: () => number }> {
  let rawConnections = 0;
  const server = tls.createServer({ cert: pem(name), key: pem(`${name}.key`) });
  server.on('connection', () => {
    rawConnections += 1;
  });
  const upstream = await startRawUpstream((request) => respondWell(request), { server });
  return {
    ...upstream,
    baseUrl: upstream.baseUrl.replace('http:', 'https:'),
    rawConnections: () => rawConnections,
  };
}

test('6: an upstream with a proper certificate is served', async () => {
  const { ask } = await startFaultGateway([await startTlsUpstream('good')]);
  expect((await ask()).status).toBe(200);
});

test.each([
  ['expired', 'certificate has expired'],
  ['wrong-name', 'does not match certificate'],
  ['self-signed', 'self-signed certificate'],
])(
  '6: a certificate that is %s is a 502 that names TLS, the log tells more, and nothing is sent',
  async (name, detail) => {
    const upstream = await startTlsUpstream(name);
    const { ask, logged } = await startFaultGateway([upstream]);

    const response = await ask();
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: 502, message: 'Up0: the TLS handshake failed' } });
    expect(JSON.stringify(logged)).toContain(detail);
    // Once, over TLS: neither again nor in the clear.
    expect(upstream.rawConnections()).toBe(1);
    expect(upstream.requests).toHaveLength(0);
  },
);

test('6: a certificate of an unknown authority is a 502', async () => {
  tls.setDefaultCACertificates(trusted);
  const { ask } = await startFaultGateway([await startTlsUpstream('good')]);
  const response = await ask();
  tls.setDefaultCACertificates([...trusted, pem('authority')]);
  expect(response.status).toBe(502);
  expect(await response.text()).toContain('TLS');
});

test('6: the environment cannot switch the check of certificates off', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const upstream = await startTlsUpstream('self-signed');
  const { ask } = await startFaultGateway([upstream]);
  expect((await ask()).status).toBe(502);
  expect(upstream.requests).toHaveLength(0);
});

test('6: an upstream that speaks no TLS is a 502', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(toRawResponse(400, 'This is plain HTTP'));
  });
  const { baseUrl } = await startRawUpstream(() => undefined, { server });
  const { ask } = await startFaultGateway([{ baseUrl: baseUrl.replace('http:', 'https:') }]);
  expect((await ask()).status).toBe(502);
});

test('7: the connect limit ends a TLS handshake that never finishes, and the next provider is asked', async () => {
  const silent = await startRawUpstream(() => undefined);
  const upstream = await startRawUpstream((request) => respondWell(request));
  const { ask } = await startFaultGateway([{ baseUrl: silent.baseUrl.replace('http:', 'https:') }, upstream], {
    transport: { connectTimeoutMs: 200 },
  });
  expect(await (await ask()).json()).toMatchObject({ provider: 'Up1' });

  const alone = await startFaultGateway([{ baseUrl: silent.baseUrl.replace('http:', 'https:') }], {
    transport: { connectTimeoutMs: 200 },
  });
  expect((await alone.ask()).status).toBe(408);
});
