import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** One request that reached a scripted upstream of videos. */
export interface VideoUpstreamRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** `http://127.0.0.1:41234` */
  readonly origin: string;
}

export interface VideoUpstreamResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body: object | Buffer | string;
}

export interface ScriptedJob {
  readonly id: string;
  readonly prompt: string;
  readonly idempotencyKey: string | undefined;
  readonly createdAtMs: number;
  looks: number;
}

/** The state of a job at this look: in progress once, then what the prompt says. */
export type JobState = 'queued' | 'working' | 'done' | 'failed' | 'cancelled' | 'strange';

export interface ScriptedJobs {
  readonly all: readonly ScriptedJob[];
  start(prompt: string, idempotencyKey?: string): ScriptedJob;
  find(id: string): ScriptedJob | undefined;
  /** Counts as a look. */
  look(job: ScriptedJob): JobState;
}

/** How one wire of videos is spoken upstream, and what is to be expected of the gateway's side of it. */
export interface VideoWireScript {
  /** The entry of the config file, for an upstream there. */
  provider(origin: string): Readonly<Record<string, unknown>>;
  readonly model: string;
  /** The header of the key, and its value. */
  readonly key: readonly [string, string];
  readonly honoursIdempotencyKey: boolean;
  /** Whether upstream's list tells jobs apart. */
  readonly hasList: boolean;
  /** Whether films lie at addresses that must not be sent the key. */
  readonly hasPublicFilms: boolean;
  /** Patterns of a submission of the order in `ORDER`. */
  readonly submitted: readonly RegExp[];
  /** Upstream's response about a job, in its own form. */
  respond(request: VideoUpstreamRequest, jobs: ScriptedJobs): VideoUpstreamResponse;
  /** A refusal in upstream's words. */
  refuse(status: number, message: string): VideoUpstreamResponse;
}

export const UPSTREAM_KEY = 'upstream-key-0123456789';
export const FILM = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, index) => index % 251));
export const POLL_AGAIN = { 'retry-after': '0' };

export interface VideoUpstream {
  readonly origin: string;
  readonly port: number;
  readonly jobs: ScriptedJobs;
  readonly requests: readonly VideoUpstreamRequest[];
  /** Called with each request before the response; a promise holds the response back. */
  onRequest: (request: VideoUpstreamRequest) => Promise<void> | void;
  close(): Promise<void>;
}

/**
 * Starts an upstream that speaks a wire. A word in the prompt decides: `refuse` and `busy` at submission, else how it
 * ends.
 */
export async function startVideoUpstream(script: VideoWireScript): Promise<VideoUpstream> {
  const requests: VideoUpstreamRequest[] = [];
  const jobs = createJobs();
  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? '', upstream.origin);
      const read: VideoUpstreamRequest = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: (await buffer(request)).toString('latin1'),
        origin: upstream.origin,
      };
      requests.push(read);
      await upstream.onRequest(read);
      const { status, headers = {}, body } = responseOf(script, read, jobs);
      const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
      const bytes = isJson ? Buffer.from(JSON.stringify(body)) : Buffer.from(body as string);
      const type = isJson ? { 'content-type': 'application/json', ...POLL_AGAIN } : {};
      response.writeHead(status, { ...type, 'content-length': bytes.length, ...headers });
      response.end(read.method === 'HEAD' ? undefined : bytes);
    })().catch(() => response.destroy());
  });
  const origin = `http://127.0.0.1:${await listenOn(server)}`;
  const upstream: VideoUpstream = {
    origin,
    port: Number(new URL(origin).port),
    jobs,
    requests,
    onRequest: () => undefined,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return upstream;
}

async function listenOn(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function responseOf(script: VideoWireScript, request: VideoUpstreamRequest, jobs: ScriptedJobs): VideoUpstreamResponse {
  if (request.path.startsWith('/public/')) return toFilmResponse(request);
  const [name, value] = script.key;
  if (request.headers[name] !== value) return script.refuse(401, `no key: ${String(request.headers[name])}`);
  if (request.method === 'POST' && request.body.includes('please refuse')) return script.refuse(400, 'not that');
  if (request.method === 'POST' && request.body.includes('please busy')) return script.refuse(503, 'busy');
  return script.respond(request, jobs);
}

/** A film as a web server sends it. */
export function toFilmResponse({ headers }: Pick<VideoUpstreamRequest, 'headers'>): VideoUpstreamResponse {
  const [, first = '', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
  if (first === '') return { status: 200, headers: { 'content-type': 'video/mp4' }, body: FILM };
  const end = last === '' ? FILM.length : Number(last) + 1;
  const range = { 'content-type': 'video/mp4', 'content-range': `bytes ${first}-${end - 1}/${FILM.length}` };
  return { status: 206, headers: range, body: FILM.subarray(Number(first), end) };
}

function createJobs(): ScriptedJobs {
  const all: ScriptedJob[] = [];
  return {
    all,
    start(prompt, idempotencyKey) {
      const job = { id: `job-${all.length + 1}`, prompt, idempotencyKey, createdAtMs: Date.now(), looks: 0 };
      all.push(job);
      return job;
    },
    find: (id) => all.find((job) => job.id === id),
    look(job) {
      job.looks += 1;
      if (job.looks === 1) return 'working';
      const [, word] = /please (fail|cancel|strange|never)/.exec(job.prompt) ?? [];
      switch (word) {
        case 'fail':
          return 'failed';
        case 'cancel':
          return 'cancelled';
        case 'strange':
          return job.looks < 4 ? 'strange' : 'done';
        case 'never':
          return 'working';
        default:
          return 'done';
      }
    },
  };
}
