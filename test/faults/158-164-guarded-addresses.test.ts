import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import * as tls from 'node:tls';

import { TransportError, type TransportRequest, type TransportResponse } from '@model-gateway/core';
import { createGuardedTransport, type GuardedTransportOptions, findUrlProblem } from '@model-gateway/node/guarded';
import { afterEach, expect, test, vi } from 'vitest';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0)) await close();
});

async function listenOn(server: Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Stands for what must never be reached, and counts who tried. */
async function startCanary(): Promise<{ port: number; connections: () => number; bytes: () => number }> {
  let connections = 0;
  let bytes = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('data', (data) => {
      bytes += data.byteLength;
    });
    socket.on('error', () => undefined);
  });
  const port = await listenOn(server, '::');
  return { port, connections: () => connections, bytes: () => bytes };
}

const startHttp = (listener: RequestListener): Promise<number> => listenOn(createHttpServer(listener));

const toRequest = (url: string, given: Partial<TransportRequest> = {}): TransportRequest => ({
  method: 'GET',
  url,
  headers: {},
  signal: new AbortController().signal,
  headersTimeoutMs: 5000,
  idleTimeoutMs: 5000,
  totalTimeoutMs: 5000,
  ...given,
});

async function refusalOf(url: string, options: GuardedTransportOptions = {}): Promise<TransportError> {
  const thrown: unknown = await createGuardedTransport(options)
    .send(toRequest(url))
    .catch((error: unknown) => error);
  expect(thrown, url).toBeInstanceOf(TransportError);
  return thrown as TransportError;
}

async function textOf({ body }: TransportResponse): Promise<string> {
  let text = '';
  for await (const bytes of body) text += Buffer.from(bytes).toString();
  return text;
}

const RULES = { schemes: ['https', 'http'], allowPrivateNetwork: false } as const;

test.each([
  ['http://hooks.example.com/', 'must begin with https://'],
  ['file:///etc/passwd', 'must begin with https://'],
  ['ftp://hooks.example.com/', 'must begin with https://'],
  ['gopher://hooks.example.com/', 'must begin with https://'],
  ['data:text/plain,x', 'must begin with https://'],
  ['javascript:alert(1)', 'must begin with https://'],
  ['//hooks.example.com/', 'must be an absolute URL'],
  ['https://', 'must be an absolute URL'],
  ['https://user:secret@hooks.example.com/', 'must not contain a user name or password'],
  ['https://user@hooks.example.com/', 'must not contain a user name or password'],
  ['https://hooks.example.com:22/', 'must not use port 22'],
  ['https://hooks.example.com:25/', 'must not use port 25'],
  ['https://hooks.example.com:6379/', 'must not use port 6379'],
  [`https://hooks.example.com/${'x'.repeat(4096)}`, 'must be at most 2048 characters'],
  ['https://h\u00f6oks.example.com/', 'must be written in ASCII; a name in other letters in its "xn--" form'],
  ['https://hooks\u3002example.com/', 'must be written in ASCII; a name in other letters in its "xn--" form'],
])('158: %s %s', (url, problem) => {
  expect(findUrlProblem(url, { schemes: ['https'], allowPrivateNetwork: true })).toBe(problem);
});

test.each([
  'https://hooks.example.com/a?b=c',
  'https://hooks.example.com:8443/',
  'https://93.184.216.34/',
  'https://[2606:2800:220:1::1]/',
  'https://xn--hoks-5qa.example.com/',
  'https://hooks.example.com/caf%C3%A9?q=\u00e9',
])('158: nothing speaks against %s', (url) => {
  expect(findUrlProblem(url, RULES)).toBeUndefined();
});

/** Each of them leads a careless client to this machine, or to another that is not on the public internet. */
const HOSTILE_HOSTS: readonly string[] = [
  ...'127.0.0.1 127.1 127.0.1 127.255.255.254 0 0.0.0.0 0.1.2.3 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001'.split(
    ' ',
  ),
  ...'127.0.0.1. 0x7f.0x0.0x0.0x1 127.000.000.001 10.0.0.1 10.1 172.16.0.1 172.31.255.255 192.168.0.1 192.168.257'.split(
    ' ',
  ),
  ...'169.254.169.254 169.254.1.1 0xa9fea9fe 2852039166 100.64.0.1 100.127.255.255 192.0.0.1 192.0.0.170 192.0.2.1'.split(
    ' ',
  ),
  ...'192.88.99.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250 240.0.0.1'.split(' '),
  ...'255.255.255.255 [::] [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:0:127.0.0.1]'.split(' '),
  ...'[::7f00:1] [::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::127.0.0.1] [64:ff9b:1::7f00:1] [2002:7f00:1::]'.split(' '),
  ...'[2001:0:7f00:1::] [fe80::1] [febf::1] [fc00::1] [fd00:ec2::254] [fec0::1] [ff02::1] [100::1] [2001:db8::1]'.split(
    ' ',
  ),
  ...'[3fff::1] [5f00::1] [2001:2::1] [2001:10::1] localhost localhost. LOCALHOST a.localhost printer.local'.split(' '),
  ...'metadata.google.internal router.home.arpa intranet \uff11\uff12\uff17.0.0.1 \u2460\u2461\u2466.0.0.1 127\u30020\u30020\u30021'.split(
    ' ',
  ),
];

test('159: no form of an address that is not public makes a connection', async () => {
  const canary = await startCanary();
  for (const host of HOSTILE_HOSTS) {
    const url = `http://${host}:${canary.port}/`;
    expect(findUrlProblem(url, RULES), url).toBeDefined();
    expect(await refusalOf(url)).toMatchObject({ requestSent: false });
  }
  expect(HOSTILE_HOSTS.length).toBeGreaterThanOrEqual(60);
  expect(canary.connections()).toBe(0);
});

test.each([
  ['a private address', ['10.0.0.1']],
  ['loopback among public ones', ['93.184.216.34', '127.0.0.1']],
  ['a mapped address', ['::ffff:127.0.0.1']],
  ['an address with a zone', ['fe80::1%lo']],
  ['no address', []],
  ['nonsense', ['nonsense']],
])('160: a name with %s is refused', async (_name, addresses) => {
  const canary = await startCanary();
  const lookUp = (): Promise<string[]> => Promise.resolve(addresses);
  expect(await refusalOf(`http://hooks.example.com:${canary.port}/`, { lookUp })).toMatchObject({ requestSent: false });
  expect(canary.connections()).toBe(0);
});

test('160: a name that cannot be resolved says so', async () => {
  const lookUp = (): Promise<string[]> => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
  expect(await refusalOf('http://hooks.example.com/', { lookUp })).toMatchObject({
    phase: 'dns',
    message: 'the name could not be resolved',
  });
});

test('161: a name whose address changes reaches only the address that was checked, a thousand times over', async () => {
  const canary = await startCanary();
  const asked: string[] = [];
  let lookUps = 0;
  const transport = createGuardedTransport({
    lookUp: () => Promise.resolve([lookUps++ % 2 === 0 ? '93.184.216.34' : '127.0.0.1']),
    // Stands for the public internet, which no test may need.
    connect(address, port) {
      asked.push(`${address}:${port}`);
      const socket = connect({ host: '127.0.0.1', port: 1 });
      return socket;
    },
  });
  for (let round = 0; round < 1000; round += 1) {
    const url = `http://hooks.example.com:${canary.port}/`;
    await expect(transport.send(toRequest(url))).rejects.toMatchObject({ phase: 'connect', requestSent: false });
  }
  expect(lookUps).toBe(1000);
  expect(new Set(asked)).toEqual(new Set([`93.184.216.34:${canary.port}`]));
  expect(asked).toHaveLength(500);
  expect(canary.connections()).toBe(0);
});

test('161: a connection that ends up elsewhere is cut before a byte is sent', async () => {
  const canary = await startCanary();
  const error = await refusalOf(`http://hooks.example.com:${canary.port}/`, {
    lookUp: () => Promise.resolve(['93.184.216.34']),
    connect: () => connect({ host: '127.0.0.1', port: canary.port }),
  });
  expect(error).toMatchObject({ phase: 'connect', requestSent: false });
  expect(canary.bytes()).toBe(0);
});

test.each([301, 302, 303, 307, 308])('162: a %i is a response like others and is not followed', async (status) => {
  const canary = await startCanary();
  const port = await startHttp((_, response) => {
    response.writeHead(status, { location: `http://127.0.0.1:${canary.port}/` }).end();
  });
  const response = await createGuardedTransport({ allowPrivateNetwork: true }).send(
    toRequest(`http://127.0.0.1:${port}/`),
  );
  expect(response.status).toBe(status);
  expect(await textOf(response)).toBe('');
  expect(canary.connections()).toBe(0);
});

test('163: proxies in the environment are not used', async () => {
  const canary = await startCanary();
  for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY']) {
    vi.stubEnv(name, `http://127.0.0.1:${canary.port}`);
  }
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  const port = await startHttp((request, response) => response.end(`${request.method} ${request.url}`));
  const response = await createGuardedTransport({ allowPrivateNetwork: true }).send(
    toRequest(`http://127.0.0.1:${port}/a?b=c`),
  );
  expect(await textOf(response)).toBe('GET /a?b=c');
  expect(canary.connections()).toBe(0);
});

test('a private address is called when that is allowed, its body and headers as they are', async () => {
  const port = await startHttp((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      response.writeHead(201, {
        'x-got': `${String(request.headers['x-a'])} ${request.headers.host}`,
        'set-cookie': ['a', 'b'],
      });
      response.end(Buffer.concat(pieces));
    });
  });
  const response = await createGuardedTransport({ allowPrivateNetwork: true }).send(
    toRequest(`http://localhost:${port}/`, { method: 'POST', headers: { 'x-a': '1' }, body: 'h\u00e9llo' }),
  );
  expect(response).toMatchObject({ status: 201, headers: { 'x-got': `1 localhost:${port}`, 'set-cookie': 'a, b' } });
  expect(await textOf(response)).toBe('h\u00e9llo');
});

const pem = (name: string): string =>
  readFileSync(new URL(`../support/certificates/${name}.pem`, import.meta.url), 'utf8');

test('a certificate is checked against the name in the URL, whatever address was connected to', async () => {
  const server = createHttpsServer({ cert: pem('wrong-name'), key: pem('wrong-name.key') }, (_, response) =>
    response.end('well'),
  );
  const port = await listenOn(server);
  const trusted = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...trusted, pem('authority')]);
  closing.push(() => tls.setDefaultCACertificates(trusted));
  const lookUp = (): Promise<string[]> => Promise.resolve(['127.0.0.1']);
  const transport = createGuardedTransport({ allowPrivateNetwork: true, lookUp });
  expect(await textOf(await transport.send(toRequest(`https://elsewhere.test:${port}/`)))).toBe('well');
  await expect(transport.send(toRequest(`https://hooks.example.com:${port}/`))).rejects.toMatchObject({
    phase: 'tls',
    requestSent: false,
  });
});

test.each([
  ['silent after the connection', 'headers', undefined],
  ['silent within the body', 'body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab'],
])('165: a response that is %s ends at its limit', async (_name, phase, bytes) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (bytes !== undefined) socket.write(bytes);
  });
  const port = await listenOn(server);
  const request = toRequest(`http://127.0.0.1:${port}/`, { headersTimeoutMs: 50, idleTimeoutMs: 50 });
  const read = createGuardedTransport({ allowPrivateNetwork: true }).send(request).then(textOf);
  await expect(read).rejects.toMatchObject({ phase, timedOut: true });
});

test('165: a response of more than the limit, in headers or body, is refused', async () => {
  const port = await startHttp((request, response) => {
    if (request.url === '/headers') response.setHeader('x-long', 'x'.repeat(20_000));
    response.end('x'.repeat(1001));
  });
  const transport = createGuardedTransport({ allowPrivateNetwork: true, maxBodyBytes: 1000 });
  const url = `http://127.0.0.1:${port}`;
  await expect(transport.send(toRequest(`${url}/headers`))).rejects.toBeInstanceOf(TransportError);
  await expect(transport.send(toRequest(url)).then(textOf)).rejects.toThrow('the response is larger than allowed');
});

test('a caller that gives up closes the connection, in every phase', async () => {
  const gone: Promise<void>[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    gone.push(new Promise((resolve) => socket.once('close', () => resolve())));
    socket.once('data', (data) => {
      if (data.toString().includes('/body')) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab');
      else giveUp.abort(new Error('left'));
    });
  });
  const port = await listenOn(server);
  let giveUp = new AbortController();
  const transport = createGuardedTransport({ allowPrivateNetwork: true });
  const url = `http://127.0.0.1:${port}`;
  await expect(transport.send(toRequest(url, { signal: giveUp.signal }))).rejects.toThrow('left');

  giveUp = new AbortController();
  const { body } = await transport.send(toRequest(`${url}/body`, { signal: giveUp.signal }));
  const iterator = body[Symbol.asyncIterator]();
  expect((await iterator.next()).done).toBe(false);
  giveUp.abort(new Error('left again'));
  await expect(iterator.next()).rejects.toThrow('left again');
  await Promise.all(gone);
  expect(gone).toHaveLength(2);

  const never = transport.send(toRequest(url, { signal: AbortSignal.abort(new Error('gone before')) }));
  await expect(never).rejects.toThrow('gone before');
});

test('leaving a body early closes the connection', async () => {
  let closed: Promise<void> | undefined;
  const port = await startHttp((request, response) => {
    closed = new Promise((resolve) => request.socket.once('close', () => resolve()));
    response.write('x'.repeat(100));
  });
  const { body } = await createGuardedTransport({ allowPrivateNetwork: true }).send(
    toRequest(`http://127.0.0.1:${port}/`),
  );
  for await (const bytes of body) {
    expect(bytes.byteLength).toBe(100);
    break;
  }
  await closed;
});
