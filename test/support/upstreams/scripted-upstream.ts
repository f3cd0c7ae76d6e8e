import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import {
  SCRIPTED_ERRORS,
  toEventBodies,
  toScriptedCompletion,
  toWholeBody,
  type UpstreamRequest,
} from './upstream-script.ts';

/** One request that reached the upstream. */
export interface UpstreamCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: UpstreamRequest;
  /** Resolves when the exchange is over: true when the whole response was sent, false when the caller left before. */
  readonly closed: Promise<boolean>;
}

export interface ScriptedUpstream {
  /** `http://127.0.0.1:41234/v1` */
  readonly baseUrl: string;
  /** All calls so far, oldest first. */
  readonly calls: readonly UpstreamCall[];
  /** Resolves with the next call that comes. */
  nextCall(): Promise<UpstreamCall>;
  /** Lets every response that is held back go on. */
  release(): void;
  close(): Promise<void>;
}

/**
 * Starts a server on loopback that speaks the OpenAI wire. Its response depends on the model's name alone:
 * those of `toScriptedCompletion` and `SCRIPTED_ERRORS`, and here
 *
 * - `error-event` streams a beginning and then an error event
 * - `cut` breaks the connection after a beginning
 * - `trickle` sends a few bytes a turn
 * - `held` sends a beginning, and the rest after `release()`
 * - `hang` sends nothing at all
 */
export async function startScriptedUpstream(): Promise<ScriptedUpstream> {
  const calls: UpstreamCall[] = [];
  const waiting: ((call: UpstreamCall) => void)[] = [];
  const held = new Set<() => void>();
  const released = (): Promise<void> => new Promise((resolve) => held.add(resolve));

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const closed = once(response, 'close').then(() => response.writableFinished);
    const body = JSON.parse((await text(request)) || '{}') as UpstreamRequest;
    const call: UpstreamCall = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body,
      closed,
    };
    calls.push(call);
    for (const resolve of waiting.splice(0)) resolve(call);
    await respond(response, body, () => Promise.race([released(), closed]));
  };

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    nextCall: () => new Promise((resolve) => waiting.push(resolve)),
    release() {
      for (const resolve of held) resolve();
      held.clear();
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function respond(
  response: ServerResponse,
  body: UpstreamRequest,
  released: () => Promise<unknown>,
): Promise<void> {
  const error = SCRIPTED_ERRORS[body.model];
  if (error !== undefined) return sendJson(response, error.status, { error: error.error }, error.headers);
  if (body.model === 'hang') return;
  const scripted = toScriptedCompletion(body);
  if (body.stream !== true) {
    if (body.model === 'held') await released();
    if (body.model === 'cut') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      return void response.write('{"id":', () => response.destroy());
    }
    return sendJson(response, 200, toWholeBody(body, scripted));
  }
  await stream(response, body, released);
}

async function stream(
  response: ServerResponse,
  body: UpstreamRequest,
  released: () => Promise<unknown>,
): Promise<void> {
  const events = toEventBodies(body, toScriptedCompletion(body)).map(toEvent);
  const beginning = events.slice(0, 3).join('');
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  switch (body.model) {
    case 'error-event':
      response.write(beginning);
      return void response.end(toEvent({ error: { message: 'overloaded', type: 'overloaded_error', code: 503 } }));
    case 'cut':
      // A callback, so that the beginning has left before the connection breaks.
      return void response.write(beginning, () => response.destroy());
    case 'held':
      response.write(beginning);
      await released();
      return void response.end(events.slice(3).join('') + DONE);
    case 'trickle':
      for (const piece of slice(Buffer.from(events.join('') + DONE), 7)) {
        response.write(piece);
        await new Promise(setImmediate);
      }
      return void response.end();
    default:
      for (const event of events) response.write(event);
      return void response.end(DONE);
  }
}

const DONE = 'data: [DONE]\n\n';

const toEvent = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;

function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function* slice(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
