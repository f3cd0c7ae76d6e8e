import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { scripts } from '../support/gateways/ask-wire.ts';

export interface WorkersUpstream {
  /** `127.0.0.1:41234` */
  readonly address: string;
  /** Bodies that came to a path, oldest first. */
  bodiesOf(path: string): readonly string[];
  /** Resolves when a call of a model that is held back has been left by its caller. */
  nextLeft(): Promise<void>;
  close(): Promise<void>;
}

const wires = new Map(scripts);

/** Starts the server that a worker fetches from: every wire below its own path, films, and a hook that notes what comes. */
export async function startUpstream(): Promise<WorkersUpstream> {
  const bodies = new Map<string, string[]>();
  const waiting: (() => void)[] = [];
  let films = 0;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? '/', 'http://upstream.example').pathname;
    const body = await text(request);
    bodies.set(path, [...(bodies.get(path) ?? []), body]);
    if (path.startsWith('/hook')) return void response.end();
    if (path.endsWith('/videos')) return sendJson(response, { id: 'film-1', status: 'queued', seconds: '4' });
    if (path.endsWith('/content')) return void response.end('a film');
    if (path.includes('/videos/')) {
      films += 1;
      return sendJson(response, { id: 'film-1', status: films > 1 ? 'completed' : 'in_progress', seconds: '4' });
    }
    if (body.includes('"held"') || body.includes('"silent"')) {
      response.on('close', () => waiting.splice(0).forEach((resolve) => resolve()));
      if (body.includes('"silent"')) return;
    }
    respond(response, path, body);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodiesOf: (path) => bodies.get(path) ?? [],
    nextLeft: () => new Promise((resolve) => void waiting.push(resolve)),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function respond(response: ServerResponse, path: string, body: string): void {
  const script = wires.get(path.split('/')[1] ?? '');
  if (script === undefined) return void response.writeHead(404).end();
  const { whole, events = [] } = script.responses.text;
  const isStreamed = path.includes('streamGenerateContent') || body.includes('"stream":true');
  if (!isStreamed) return sendJson(response, whole);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events.slice(0, body.includes('"held"') ? 2 : undefined)) response.write(script.toEvent(event));
  if (!body.includes('"held"')) response.end(script.end);
}

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json', 'retry-after': '1' }).end(JSON.stringify(value));
}
