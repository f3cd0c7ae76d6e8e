import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tls from 'node:tls';

import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  type RawRequest,
  type ServeRaw,
  startRawUpstream,
  toRawResponse,
} from '../../../../test/support/upstreams/raw-upstream.ts';
import { examine } from './doctor.ts';

const pem = (name: string): string =>
  readFileSync(new URL(`../../../../test/support/certificates/${name}.pem`, import.meta.url), 'utf8');

const trusted = tls.getCACertificates('default');
beforeAll(() => tls.setDefaultCACertificates([...trusted, pem('authority')]));
afterAll(() => tls.setDefaultCACertificates(trusted));

const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const KEY = 'sk-secret-of-the-provider-1234';

/** Runs the doctor on a config file with these providers. */
async function run(
  providers: readonly Record<string, unknown>[],
  {
    call = false,
    env = {},
    ...rest
  }: { call?: boolean; env?: Record<string, string>; models?: unknown; auth?: unknown; timeouts?: unknown } = {},
): Promise<{ isWell: boolean; exitCode: number; text: string }> {
  const config = join(folder, 'gateway.config.json');
  writeFileSync(config, JSON.stringify({ providers, ...rest }));
  let text = '';
  const { report, exitCode } = await examine({ config, dataDir: undefined, call }, env, (piece) => (text += piece));
  expect(text).not.toContain(KEY);
  return { isWell: report.ok, exitCode, text };
}

const providerAt = (baseUrl: string): Record<string, unknown> => ({
  slug: 'up',
  wire: 'openai',
  baseUrl,
  apiKey: KEY,
  discoverModels: true,
});

/** Responds by the head of a request. */
const serve =
  (list: () => string, chat: () => string = () => toRawResponse(500, '')): ServeRaw =>
  ({ head, socket }: RawRequest) =>
    void socket.end(head.startsWith('GET') ? list() : chat());

const json = (body: object, status = 200): string => toRawResponse(status, body);

const LIST = (): string => json({ data: [{ id: 'first' }, { id: 'second' }] });

/** The line of a layer, and the advice below it. */
function lineOf(text: string, layer: string): string {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.slice(8).startsWith(layer));
  const advice = lines[at + 1]?.startsWith(' '.repeat(17)) === true ? ` => ${lines[at + 1]?.trim()}` : '';
  return at === -1 ? '' : `${lines[at]?.trim().replace(/ {2,}/g, ' ')}${advice}`;
}

test('a provider that works is looked at up to its list of models, with its key and no call', async () => {
  const upstream = await startRawUpstream(serve(LIST));
  const { isWell, text } = await run([providerAt(upstream.baseUrl)]);
  expect(isWell).toBe(true);
  expect(lineOf(text, 'address')).toBe(`ok address 127.0.0.1, port ${upstream.port}, without TLS`);
  expect(lineOf(text, 'dns')).toBe('- dns 127.0.0.1 is an IP address');
  expect(lineOf(text, 'tcp')).toMatch(/^ok tcp connected to 127\.0\.0\.1 in \d+ ms$/);
  expect(lineOf(text, 'tls')).toBe('- tls the address is http');
  expect(lineOf(text, 'auth')).toBe('ok auth 2 models listed with the key');
  expect(lineOf(text, 'call')).toBe('');
  expect(text).toMatch(/\n1 provider: all can be used\.\n$/);
  expect(upstream.requests.map(({ head }) => head.split('\r\n')[0])).toEqual(['GET /v1/models HTTP/1.1']);
  expect(upstream.requests[0]?.head).toContain(`Bearer ${KEY}`);
});

test('a call is made when asked, to the cheapest model that is known', async () => {
  const completion = {
    choices: [{ message: { content: 'OK' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 },
  };
  const upstream = await startRawUpstream(serve(LIST, () => json(completion)));
  const endpointOf = (providerModel: string, price?: string) => ({
    provider: 'up',
    providerModel,
    ...(price && { pricing: { prompt: price, completion: price } }),
  });
  const models = [
    { id: 'a/unpriced', endpoints: [endpointOf('unpriced')] },
    { id: 'a/dear', endpoints: [endpointOf('dear', '2')] },
    { id: 'a/cheap', endpoints: [endpointOf('cheap', '1')] },
    { id: 'a/painter', architecture: { output_modalities: ['image'] }, endpoints: [endpointOf('painter', '0.1')] },
  ];
  const { isWell, text } = await run([providerAt(upstream.baseUrl)], { call: true, models });
  expect(isWell).toBe(true);
  expect(lineOf(text, 'call')).toBe('ok call cheap responded (9 + 1 tokens)');
  expect(JSON.parse(upstream.requests[1]?.body ?? '')).toMatchObject({ model: 'cheap', max_tokens: 16 });

  const without = await run([providerAt(upstream.baseUrl)], { call: true });
  expect(lineOf(without.text, 'call')).toBe('ok call first responded (9 + 1 tokens)');
});

test('a provider that makes videos alone is not called', async () => {
  const upstream = await startRawUpstream(serve(LIST));
  const provider = { slug: 'fal', wire: 'fal', baseUrl: `http://127.0.0.1:${upstream.port}`, apiKey: KEY };
  const { isWell, text } = await run([provider], { call: true });
  expect([isWell, lineOf(text, 'call')]).toEqual([true, '- call it does not offer chat']);
});

test.each<[string, string, string]>([
  ['good', 'ok', 'certificate issued by authority.test, valid until 2099-12-31'],
  ['expired', 'FAIL', 'valid until 2020-01-02: CERT_HAS_EXPIRED => Check the clock of this machine; if it is right'],
  [
    'wrong-name',
    'FAIL',
    'ERR_TLS_CERT_ALTNAME_INVALID => The certificate is for DNS:elsewhere.test, not for 127.0.0.1',
  ],
  ['self-signed', 'FAIL', 'issued by self-signed.test, valid until 2099-12-31: DEPTH_ZERO_SELF_SIGNED_CERT'],
])('a certificate that is %s is told with its issuer: %s', async (name, status, detail) => {
  const server = tls.createServer({ cert: pem(name), key: pem(`${name}.key`) });
  const upstream = await startRawUpstream(serve(LIST), { server });
  const { isWell, text } = await run([providerAt(upstream.baseUrl.replace('http:', 'https:'))]);
  expect(isWell).toBe(status === 'ok');
  expect(lineOf(text, 'tls')).toMatch(new RegExp(`^${status} tls TLSv1\\.3, `));
  expect(lineOf(text, 'tls')).toContain(detail);
  expect(upstream.requests).toHaveLength(status === 'ok' ? 1 : 0);
});

test('an issuer that is not known brings the hint at a proxy, and how to trust it', async () => {
  tls.setDefaultCACertificates(trusted);
  const server = tls.createServer({ cert: pem('good'), key: pem('good.key') });
  const upstream = await startRawUpstream(serve(LIST), { server });
  const { isWell, text } = await run([providerAt(upstream.baseUrl.replace('http:', 'https:'))]);
  tls.setDefaultCACertificates([...trusted, pem('authority')]);
  expect(isWell).toBe(false);
  expect(lineOf(text, 'tls')).toMatch(
    /issued by authority\.test.*=> .*your company’s TLS-inspecting proxy.*NODE_EXTRA_CA_CERTS/,
  );
});

test('a port that speaks no TLS is told from a bad certificate', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(toRawResponse(400, 'This is plain HTTP'));
  });
  const { baseUrl, port } = await startRawUpstream(() => undefined, { server });
  const { text } = await run([providerAt(baseUrl.replace('http:', 'https:'))]);
  expect(lineOf(text, 'tls')).toMatch(/^FAIL tls the handshake failed: .* => Port \d+ may not be a TLS server/);
  expect(lineOf(text, 'tls')).toContain(`Port ${port}`);
  expect(lineOf(text, 'auth')).toBe('');
});

test('a handshake that never ends is given up', async () => {
  const { baseUrl } = await startRawUpstream(() => undefined);
  const { text } = await run([providerAt(baseUrl.replace('http:', 'https:'))], { timeouts: { connectMs: 100 } });
  expect(lineOf(text, 'tls')).toContain('FAIL tls the handshake failed: no response within 100 ms');
});

test('a name that cannot be resolved and a port without a listener are reported, and no layer above them', async () => {
  const { isWell, text } = await run([
    { ...providerAt('http://no-such-host.invalid/v1'), slug: 'nameless' },
    { ...providerAt('http://127.0.0.1:1/v1'), slug: 'closed' },
  ]);
  expect(isWell).toBe(false);
  const [nameless = '', closed = ''] = text.split('\n\n');
  expect(lineOf(nameless, 'dns')).toMatch(/^FAIL dns no-such-host\.invalid could not be resolved \(E.* => /);
  expect(lineOf(nameless, 'tcp')).toBe('');
  expect(lineOf(nameless, 'address')).toContain('warn address no-such-host.invalid, port 80, without TLS => The key');
  expect(lineOf(closed, 'tcp')).toBe(
    'FAIL tcp no connection to 127.0.0.1, port 1 (ECONNREFUSED) => Nothing is listening there: start the server, or correct the port in baseUrl.',
  );
  expect(lineOf(closed, 'auth')).toBe('');
  expect(text).toContain('2 providers: 2 cannot be used.');
});

test.each<[number, string | object, string]>([
  [401, { error: { message: `bad key ${KEY}` } }, 'FAIL auth refused (HTTP 401) => Check apiKey of the provider "up"'],
  [402, {}, 'FAIL auth refused (HTTP 402) => The account at up has no credit left'],
  [404, {}, 'warn auth it has no list of models there (HTTP 404) => Does baseUrl end with the version segment'],
  [429, { error: { message: `slow down ${KEY}` } }, 'warn auth slow down [redacted] => The key is valid'],
  [500, {}, 'FAIL auth up returned an error (HTTP 500) => The server has problems'],
  [
    200,
    '<html>Please sign in</html>',
    'FAIL auth up returned a model list that is not JSON => The response is not from the API',
  ],
])('a response of %i to the list of models is explained', async (status, body, line) => {
  const { baseUrl } = await startRawUpstream(serve(() => toRawResponse(status, body)));
  const { isWell, text } = await run([providerAt(baseUrl)]);
  expect(lineOf(text, 'auth')).toContain(line);
  expect(isWell).toBe(!line.startsWith('FAIL'));
});

test('no key of the configuration is printed, whatever text contains it', async () => {
  const other = 'words-that-a-client-holds';
  const { baseUrl } = await startRawUpstream(serve(() => json({ error: { message: `slow down ${other}` } }, 429)));
  const { text } = await run([providerAt(baseUrl)], { auth: { bootstrapKeys: [{ key: other }] } });
  expect(lineOf(text, 'auth')).toContain('slow down [redacted]');
  expect(text).not.toContain(other);
});

test('a key that was refused is named by the variable that is customary for it', async () => {
  const { baseUrl } = await startRawUpstream(serve(() => json({}, 401)));
  const groq = { slug: 'mine', preset: 'groq', baseUrl };
  const { text } = await run([{ ...groq, apiKey: KEY }]);
  expect(lineOf(text, 'auth')).toContain('Check GROQ_API_KEY, or apiKey of the provider "mine"');
  const without = await run([groq]);
  expect(lineOf(without.text, 'auth')).toContain(
    '=> No key was sent: set GROQ_API_KEY, or apiKey of the provider "mine"',
  );
});

test('a call that fails says of which model, and why', async () => {
  const refuse = (): string => json({ error: { message: 'no such model' } }, 404);
  const { baseUrl } = await startRawUpstream(serve(LIST, refuse));
  const { isWell, text } = await run([providerAt(baseUrl)], { call: true });
  expect(isWell).toBe(false);
  expect(lineOf(text, 'call')).toMatch(/^FAIL call first: .* => Check providerModel/);
});

test('a connection that breaks off before a response is told as that', async () => {
  const { baseUrl } = await startRawUpstream(({ socket }) => void socket.destroy());
  const { text } = await run([providerAt(baseUrl)]);
  expect(lineOf(text, 'auth')).toMatch(/^FAIL auth .* => The server was reached but closed the connection/);
});

test('a config that cannot be used is reported with the variable that is missing, and ends with 2', async () => {
  const { isWell, exitCode, text } = await run([{ slug: 'groq', preset: 'groq' }]);
  expect(isWell).toBe(false);
  expect(exitCode).toBe(2);
  expect(text).toContain('providers[0].apiKey: is missing, and GROQ_API_KEY is not set');
});

test('without a config and without keys there is nothing to look at, and that is said', async () => {
  let text = '';
  const options = { config: undefined, dataDir: join(folder, 'none'), call: false };
  expect(await examine(options, {}, (piece) => (text += piece))).toEqual({
    report: {
      ok: false,
      problem: expect.stringContaining('OPENAI_API_KEY') as string,
      warnings: [],
      providers: [],
    },
    exitCode: 1,
  });
  expect(text).toContain('OPENAI_API_KEY');
});
