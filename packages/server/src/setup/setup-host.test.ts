import { once } from 'node:events';
import { createServer, type IncomingMessage, request as sendRequest } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';

import type { ProviderStateList } from '@model-gateway/core/wire';
import { expect, onTestFinished, test } from 'vitest';

import { createDeferred } from '../../../../test/support/async/deferred.ts';
import { startComposed } from '../../../../test/support/gateways/start-composed.ts';
import { findLocalServers, type KnownServer } from './setup-host.ts';

const KEY = 'sk-right-key-of-the-upstream-5678';
const MANAGEMENT_KEY = 'sk-management-of-the-test';

interface Upstream {
  readonly baseUrl: string;
  readonly port: number;
  readonly calls: readonly string[];
}

/** A model server that wants a key, lists one model and completes with OK; in its refusals it repeats the key. */
async function startUpstream(key: string | null = KEY): Promise<Upstream> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    const sent = request.headers.authorization?.replace('Bearer ', '') ?? null;
    const isRight = key === null || sent === key;
    response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' });
    if (!isRight) return void response.end(JSON.stringify({ error: { message: `Incorrect API key: ${sent}` } }));
    const message = { role: 'assistant', content: 'OK' };
    response.end(
      JSON.stringify(
        request.method === 'GET'
          ? { object: 'list', data: [{ id: 'small-1', object: 'model', created: 5 }] }
          : {
              id: 'c',
              choices: [{ index: 0, message, finish_reason: 'stop' }],
              usage: { prompt_tokens: 3, completion_tokens: 1 },
            },
      ),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { port, calls, baseUrl: `http://127.0.0.1:${port}/v1` };
}

async function startAt(localServers: readonly KnownServer[] = []) {
  const bootstrapKeys = [{ key: MANAGEMENT_KEY, kind: 'management', name: 'admin' }];
  const config = { store: { type: 'memory' }, auth: { bootstrapKeys } };
  const { apiUrl } = await startComposed(config, { localServers });
  const base = apiUrl.replace('/api/v1', '/admin/v1');
  return { base, headers: { authorization: `Bearer ${MANAGEMENT_KEY}`, 'content-type': 'application/json' } };
}

async function start(localServers: readonly KnownServer[] = []) {
  const { base, headers } = await startAt(localServers);
  return async (method: string, path: string, body?: object) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
}

interface Tested {
  readonly data: {
    readonly ok: boolean;
    readonly findings: readonly { readonly layer: string; readonly status: string; readonly advice?: string }[];
    readonly models: readonly { readonly id: string }[] | null;
  };
}

const draftOf = ({ baseUrl }: Upstream, apiKey?: string) => ({
  provider: { slug: 'up', wire: 'openai', baseUrl, ...(apiKey !== undefined && { apiKey }) },
});
const layersOf = ({ data }: Tested): string[] => data.findings.map(({ layer, status }) => `${layer} ${status}`);

test('a provider is tested before it is saved, layer by layer up to a call, with the models to choose from', async () => {
  const upstream = await startUpstream();
  const call = await start();
  const { status, text } = await call('POST', '/setup/provider-tests', { ...draftOf(upstream, KEY), model: 'small-1' });
  expect(status).toBe(200);
  const tested = JSON.parse(text) as Tested;
  expect(layersOf(tested)).toEqual(['address ok', 'dns skipped', 'tcp ok', 'tls skipped', 'auth ok', 'call ok']);
  expect(tested.data).toMatchObject({ ok: true, models: [{ id: 'small-1', created: 5 }] });
  expect(upstream.calls).toEqual(['GET /v1/models', 'POST /v1/chat/completions']);
  expect(JSON.parse((await call('GET', '/setup/providers')).text)).toEqual({ data: [], editable: true });
});

test('a wrong key is told in words, and not repeated though the server does', async () => {
  const call = await start();
  const { text } = await call('POST', '/setup/provider-tests', draftOf(await startUpstream(), 'sk-wrong-key-00001'));
  const { data } = JSON.parse(text) as Tested;
  expect(data).toMatchObject({ ok: false, models: null });
  expect(data.findings.at(-1)).toEqual({
    layer: 'auth',
    status: 'failed',
    duration_ms: expect.any(Number),
    detail: 'refused (HTTP 401)',
    advice: 'The key is wrong, was revoked, or belongs to another project or region: copy the whole key again.',
  });
  expect(text).not.toContain('sk-wrong-key-00001');
});

test('tells of each layer as it is looked at, and stops asking the server when the test is left', async () => {
  const left = createDeferred();
  const server = createServer((_request, response) => void response.once('close', () => left.resolve()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const provider = { slug: 'silent', wire: 'openai', baseUrl: `http://127.0.0.1:${port}/v1` };
  const { base, headers } = await startAt();
  const leaving = sendRequest(`${base}/setup/provider-tests`, { method: 'POST', headers });
  leaving.end(JSON.stringify({ provider, stream: true }));
  const [response] = (await once(leaving, 'response')) as [IncomingMessage];
  expect(response.headers['content-type']).toBe('application/x-ndjson');
  const pieces = response.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>;
  let text = '';
  // The server never responds, so that the layers below its response come alone.
  while (!text.includes('"tls"')) text += (await pieces.next()).value;
  const layers = text.trim().split('\n');
  expect(layers.map((line) => (JSON.parse(line) as { finding: { layer: string } }).finding.layer)).toEqual([
    'address',
    'dns',
    'tcp',
    'tls',
  ]);
  expect(JSON.parse(layers[2] ?? '')).toMatchObject({ finding: { duration_ms: expect.any(Number) } });
  const leftAt = performance.now();
  // A connection that is merely closed may still be read from, for all the gateway knows before it writes to it.
  response.socket.resetAndDestroy();
  await left.promise;
  // After ten seconds the server would be asked no more in any case.
  expect(performance.now() - leftAt).toBeLessThan(8_000);
});

test('what is wrong with a draft is refused by its field', async () => {
  const call = await start();
  const { status, text } = await call('POST', '/setup/provider-tests', { provider: { preset: 'openai' } });
  expect(status).toBe(400);
  expect(JSON.parse(text)).toMatchObject({ error: { metadata: { issues: [{ path: 'provider.apiKey' }] } } });
});

test('a saved provider is tested with its saved key, and no other server gets it', async () => {
  const [upstream, other] = [await startUpstream(), await startUpstream()];
  const call = await start();
  expect((await call('POST', '/setup/providers', draftOf(upstream, KEY).provider)).status).toBe(201);
  const test = async (body: object) => JSON.parse((await call('POST', '/setup/provider-tests', body)).text) as Tested;
  expect((await test(draftOf(upstream))).data.ok).toBe(true);
  expect(layersOf(await test(draftOf(other))).at(-1)).toBe('auth failed');
  const known = JSON.parse((await call('POST', '/providers/up/test', {})).text) as Tested;
  expect(known.data.ok).toBe(true);
});

test('what is typed is tested as it would be saved: a new key with the saved headers, and no key where it is removed', async () => {
  const seen: (string | undefined)[][] = [];
  const server = createServer(({ headers }, response) => {
    seen.push([headers.authorization, headers['x-team'] as string | undefined]);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"data":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const call = await start();
  const provider = { slug: 'up', wire: 'openai', baseUrl: `http://127.0.0.1:${port}/v1` };
  await call('POST', '/setup/providers', { ...provider, apiKey: KEY, headers: { 'X-Team': 'blue' } });
  for (const apiKey of [undefined, 'sk-another-key-0001', null]) {
    await call('POST', '/setup/provider-tests', { provider: { ...provider, apiKey } });
  }
  expect(seen).toEqual([
    [`Bearer ${KEY}`, 'blue'],
    ['Bearer sk-another-key-0001', 'blue'],
    [undefined, 'blue'],
  ]);
});

test('saves several keys of a provider, shows their ends alone, and changes one without the others', async () => {
  const asked = new Set<string | undefined>();
  const server = createServer(({ headers }, response) => {
    asked.add(headers.authorization?.replace('Bearer ', ''));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"data":[{"id":"small-1"}]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const call = await start();
  const [first, second, third] = ['sk-first-key-00001', 'sk-second-key-0002', 'sk-third-key-00003'];
  const provider = { slug: 'up', wire: 'openai', baseUrl: `http://127.0.0.1:${port}/v1`, discoverModels: true };
  const apiKeys = [
    { name: 'one', key: first },
    { name: 'two', key: second, weight: 3 },
  ];
  const made = await call('POST', '/setup/providers', { ...provider, apiKeys });
  expect(made.status).toBe(201);
  expect(JSON.parse(made.text)).toMatchObject({
    data: {
      status: 'ready',
      has_key: true,
      key_hint: '…0001',
      settings: {
        apiKeys: [
          { name: 'one', key: '…0001' },
          { name: 'two', key: '…0002', weight: 3 },
        ],
      },
    },
  });
  const states = async () => {
    const { data } = JSON.parse((await call('GET', '/providers')).text) as ProviderStateList;
    return data.find(({ slug }) => slug === 'up')?.keys.map(({ name, fingerprint }) => [name, fingerprint]);
  };
  const before = await states();
  const changed = { apiKeys: [{ name: 'one' }, { name: 'two', key: third }] };
  expect((await call('PATCH', '/setup/providers/up', changed)).status).toBe(200);
  const after = await states();
  expect(after?.map(([name]) => name)).toEqual(['one', 'two']);
  // The first stays as it is; the second is another key from now on.
  expect(after?.[0]).toEqual(before?.[0]);
  expect(after?.[1]).not.toEqual(before?.[1]);
  expect([...asked]).toEqual([first]);
  const { status, text } = await call('PATCH', '/setup/providers/up', { apiKeys: [{ name: 'new' }] });
  expect(status).toBe(400);
  expect(JSON.parse(text)).toMatchObject({ error: { metadata: { issues: [{ path: 'apiKeys.0.key' }] } } });
  const all = [made.text, text, (await call('GET', '/setup/providers')).text].join();
  for (const key of [first, second, third]) expect(all).not.toContain(key);
});

test('finds the servers of this machine by their lists of models, and nothing that gives none', async () => {
  const [ollama, locked] = [await startUpstream(null), await startUpstream()];
  const silent = createTcpServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const ports = [ollama.port, locked.port, (silent.address() as AddressInfo).port, 1];
  const known = ports.map((port, index) => ({ preset: `p${index}`, name: `P${index}`, port }));
  expect(await findLocalServers(known, 200)).toEqual([
    { preset: 'p0', name: 'P0', baseUrl: ollama.baseUrl, models: ['small-1'] },
  ]);
});

test('says of a server of this machine as which provider it is set up', async () => {
  const upstream = await startUpstream(null);
  const call = await start([{ preset: 'ollama', name: 'Ollama', port: upstream.port }]);
  const find = async () => (JSON.parse((await call('GET', '/setup/local-servers')).text) as { data: object[] }).data;
  const server = { preset: 'ollama', name: 'Ollama', base_url: upstream.baseUrl, models: ['small-1'] };
  expect(await find()).toEqual([{ ...server, set_up_as: null }]);
  const baseUrl = upstream.baseUrl.replace('127.0.0.1', 'localhost');
  await call('POST', '/setup/providers', { preset: 'ollama', baseUrl, discoverModels: true });
  expect(await find()).toEqual([{ ...server, set_up_as: 'ollama' }]);
});
