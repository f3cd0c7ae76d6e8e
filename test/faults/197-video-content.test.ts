import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished, test, vi } from 'vitest';

import { startComposed } from '../support/gateways/start-composed.ts';
import { writeTestConfig } from '../support/gateways/write-test-config.ts';

// Each makes a film first, which takes a second where nothing else runs.
vi.setConfig({ testTimeout: 30_000 });

const KEY = 'sk-gw-v1-videos';
const MIB = 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, 'film');

interface FilmServer {
  readonly port: number;
  /** How long a film is. */
  bytes: number;
  /** Requests of the film itself. */
  readonly fetches: IncomingMessage[];
  /** Bytes of films that the server has been able to hand over. */
  sentBytes: number;
  /** When the last film's connection was closed by the other side. */
  readonly left: Promise<void>;
  /** How the film is sent; default: all of it. */
  serve: (request: IncomingMessage, response: ServerResponse) => void;
}

/** Starts an upstream whose only job is done at the first look; its film has this many bytes. */
async function startFilmServer(bytes: number): Promise<FilmServer> {
  let onLeft = (): void => undefined;
  const left = new Promise<void>((resolve) => (onLeft = resolve));
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path.endsWith('/content')) {
      films.fetches.push(request);
      response.once('close', () => {
        if (!response.writableFinished) onLeft();
      });
      return films.serve(request, response);
    }
    request.resume();
    response.setHeader('retry-after', '0');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: 'video_1', status: request.method === 'POST' ? 'queued' : 'completed' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const films: FilmServer = {
    port: (server.address() as AddressInfo).port,
    bytes,
    fetches: [],
    sentBytes: 0,
    left,
    serve: (_request, response) => {
      let toSend = films.bytes;
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': toSend });
      const send = (): void => {
        while (toSend > 0) {
          const piece = toSend < PIECE.length ? PIECE.subarray(0, toSend) : PIECE;
          toSend -= piece.length;
          films.sentBytes += piece.length;
          if (!response.write(piece)) return void response.once('drain', send);
        }
        response.end();
      };
      send();
    },
  };
  return films;
}

const toConfig = ({ port }: FilmServer, keepMb: number): object => ({
  auth: { bootstrapKeys: [{ key: KEY }] },
  webhooks: { allowPrivateNetwork: true },
  videos: { keepMb },
  providers: [{ slug: 'up', wire: 'openai', baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'key-of-up' }],
  models: [
    {
      id: 'test/film',
      architecture: { input_modalities: ['text'], output_modalities: ['video'] },
      endpoints: [{ provider: 'up', providerModel: 'sora-2', pricing: { video: '1' } }],
    },
  ],
});

const authorization = `Bearer ${KEY}`;

/** Submits a job and waits for its end; returns the address of its film. */
async function makeFilm(apiUrl: string): Promise<string> {
  const response = await fetch(`${apiUrl}/videos`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test/film', prompt: 'a fox' }),
  });
  const { id } = (await response.json()) as { id: string };
  for (;;) {
    const { status } = (await (await fetch(`${apiUrl}/videos/${id}`, { headers: { authorization } })).json()) as {
      status: string;
    };
    if (status === 'completed') return `${apiUrl}/videos/${id}/content?index=0`;
    expect(['pending', 'in_progress']).toContain(status);
    await turn();
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

const fetchFilm = (url: string, headers = {}, method = 'GET'): Promise<Response> =>
  fetch(url, { method, headers: { authorization, ...headers } });

/** Reads a response to its end; returns how many bytes there were. */
async function drain(response: Response): Promise<number> {
  let bytes = 0;
  for await (const piece of response.body ?? []) bytes += piece.byteLength;
  return bytes;
}

test('197: a film is fetched once and kept, and served when upstream has lost it', async () => {
  const films = await startFilmServer(300_000);
  const { apiUrl } = await startComposed({ ...toConfig(films, 10), store: { type: 'json', dir: 'kept' } });
  const url = await makeFilm(apiUrl);
  while (films.sentBytes < 300_000) await turn();
  const fetches = films.fetches.length;
  films.serve = (_request, response) => void response.writeHead(404).end();
  // Until it is whole here, upstream is asked.
  while ((await fetchFilm(url, {}, 'HEAD')).status !== 200) await turn();
  const asked = films.fetches.length;

  const whole = await fetchFilm(url);
  expect([whole.status, whole.headers.get('content-type'), whole.headers.get('accept-ranges')]).toEqual([
    200,
    'video/mp4',
    'bytes',
  ]);
  expect(await drain(whole)).toBe(300_000);
  const part = await fetchFilm(url, { range: 'bytes=299990-' });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 299990-299999/300000']);
  expect(await drain(part)).toBe(10);
  expect((await fetchFilm(url, { range: 'bytes=300000-' })).status).toBe(416);
  const head = await fetchFilm(url, {}, 'HEAD');
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '300000']);
  const etag = whole.headers.get('etag') ?? '';
  expect((await fetchFilm(url, { 'if-none-match': etag })).status).toBe(304);
  expect([fetches, films.fetches.length]).toEqual([1, asked]);
});

test('197: a film that is not kept is fetched each time; what upstream lost is 410, what is no film 502', async () => {
  const films = await startFilmServer(1000);
  const { apiUrl } = await startComposed({ ...toConfig(films, 0), store: { type: 'memory' } });
  const url = await makeFilm(apiUrl);
  expect(await drain(await fetchFilm(url))).toBe(1000);
  expect(await drain(await fetchFilm(url))).toBe(1000);
  const head = await fetchFilm(url, {}, 'HEAD');
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '1000']);
  // Signed addresses are often good for GET alone.
  expect(films.fetches.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
  const responses: [number, Record<string, string>, string, number][] = [
    [404, {}, '{}', 410],
    [403, {}, '{}', 502],
    [405, {}, '{}', 502],
    [410, {}, '{}', 410],
    [500, {}, '{}', 502],
    [200, { 'content-type': 'text/html' }, '<html>busy</html>', 502],
    [200, { 'content-type': 'video/mp4', 'content-length': '0' }, '', 502],
  ];
  for (const [status, headers, body, expected] of responses) {
    films.serve = (_request, response) => void response.writeHead(status, headers).end(body);
    expect([status, (await fetchFilm(url)).status]).toEqual([status, expected]);
  }
});

test('197: a film that breaks off at upstream breaks off for the client, too', async () => {
  const films = await startFilmServer(1000);
  const { apiUrl } = await startComposed({ ...toConfig(films, 0), store: { type: 'memory' } });
  const url = await makeFilm(apiUrl);
  films.serve = (_request, response) => {
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': '1000' });
    response.write('half', () => response.destroy());
  };
  await expect(fetchFilm(url).then(drain)).rejects.toThrow('terminated');
});

test('197: a client that does not read holds upstream back, and one that leaves closes it', async () => {
  const films = await startFilmServer(256 * MIB);
  const { apiUrl } = await startComposed({ ...toConfig(films, 0), store: { type: 'memory' } });
  const url = await makeFilm(apiUrl);
  const client = get(url, { headers: { authorization } });
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  response.pause();
  // Only the bytes that fit into the buffers between here and the client go through.
  let sent = -1;
  while (films.sentBytes !== sent) {
    sent = films.sentBytes;
    for (let number = 0; number < 10; number += 1) await turn();
  }
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(32 * MIB);
  response.destroy();
  await films.left;
});

const SCRIPT = fileURLToPath(new URL('../support/videos/video-server.ts', import.meta.url));
const FILM_BYTES = process.env['TEST_FULL'] === '1' ? 2048 * MIB : 192 * MIB;
const MAX_GROWTH_BYTES = 100 * MIB;

/** The most memory that a process has had so far. */
function peakBytes(pid: number): number {
  const [, kib = ''] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

test.skipIf(!existsSync('/proc/self/status')).each([
  ['handed on', 0],
  ['kept and served', 4096],
])(
  `197: a film of ${FILM_BYTES / MIB} MiB is %s with at most 100 MiB more memory`,
  async (_how, keepMb) => {
    const films = await startFilmServer(8 * MIB);
    const file = writeTestConfig(toConfig(films, keepMb));
    const marks = join(dirname(file), 'marks');
    mkdirSync(marks);
    const child = spawn(process.execPath, [SCRIPT, file, marks], { stdio: ['ignore', 'pipe', 'inherit'] });
    const died = once(child, 'close');
    const [printed] = (await once(child.stdout, 'data')) as [Buffer];
    const api = `${printed.toString().trim()}/api/v1`;
    const kept = join(dirname(file), 'data', 'videos');
    const make = async (number: number): Promise<string> => {
      const url = await makeFilm(api);
      if (keepMb === 0) return url;
      while (readdirSync(kept).filter((name) => name.endsWith('.mp4')).length < number) await turn();
      // The file is there a moment before it counts as kept.
      for (;;) {
        const asked = films.fetches.length;
        await fetchFilm(url, {}, 'HEAD');
        if (films.fetches.length === asked) return url;
      }
    };
    // A film of 8 MiB first, so that what is measured is the length of the second one, and neither the loading of code
    // nor the buffers that any film needs.
    await fetchFilm(await make(1)).then(drain);
    const before = peakBytes(child.pid ?? 0);
    films.bytes = FILM_BYTES;
    const url = await make(2);
    const fetches = films.fetches.length;
    expect(await drain(await fetchFilm(url))).toBe(FILM_BYTES);
    const after = peakBytes(child.pid ?? 0);
    child.kill('SIGKILL');
    await died;
    expect(films.fetches.length - fetches).toBe(keepMb > 0 ? 0 : 1);
    console.info(`${before / MIB} MiB at the start, ${after / MIB} MiB at most`);
    expect(after - before).toBeLessThan(MAX_GROWTH_BYTES);
  },
  600_000,
);
