import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const FILM = fileURLToPath(
  new URL('../../../fixtures/demo/videos/synthetic-video-content/response.bin', import.meta.url),
);
const PIECE_MS = 14;
/** In the middle of a stream, so that the axis of a call has a gap to show. */
const PAUSE_MS = 450;

interface ChatBody {
  readonly model: string;
  readonly stream?: boolean;
}

const SHORT = `A **rate limit** says how many requests a client may make in a span of time.

- beyond it the server responds with \`429 Too Many Requests\`,
- \`Retry-After\` says how long to wait,
- waiting a little longer each time keeps clients from coming back at once.`;

/** What each model says, by a part of its name. */
const TEXTS: readonly (readonly [model: string, text: string])[] = [
  ['gpt-5.6', SHORT],
  [
    'sonnet',
    `A **rate limit** says how many requests a client may make in a minute or a day.

- beyond it the server responds with \`429 Too Many Requests\`,
- \`Retry-After\` says how many seconds to wait,
- waiting twice as long each time keeps clients from coming back together.`,
  ],
  [
    'kimi',
    `A **rate limit** is a promise about load: so many requests a client may make in a span of time.

- beyond it the server responds with \`429\`,
- \`Retry-After\` says how long to wait,
- a little chance in the wait keeps clients from coming back at once.`,
  ],
  [
    'gpt-oss',
    `**Status: resolved.** From 14:02 to 14:31 UTC about 3 % of the uploads failed.

1. A disk of one storage node was full.
2. Uploads to it were tried again elsewhere, and some of them timed out.
3. The node was taken out of service at 14:31, and no upload was lost.

We now raise an alarm at 80 % instead of 95 %.`,
  ],
];

const textOf = (model: string): string => TEXTS.find(([part]) => model.includes(part))?.[1] ?? SHORT;

const sendJson = (response: ServerResponse, body: object, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** Companies on one port of this machine, each below a path of its own. */
export interface ShowcaseUpstream {
  /** `http://127.0.0.1:41234` */
  readonly url: string;
  readonly close: () => void;
}

/** Starts what stands in for providers in the pictures of the docs: `/groq` is overloaded
 * whenever it is asked about an incident, `/hook` takes deliveries. */
export async function startShowcaseUpstream(): Promise<ShowcaseUpstream> {
  let films = 0;
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', method } = request;
    const body = await text(request);
    if (url.startsWith('/hook')) return void response.writeHead(200).end();
    if (url.includes('/videos/') && url.endsWith('/content'))
      return void response.writeHead(200, { 'content-type': 'video/mp4' }).end(readFileSync(FILM));
    if (url.includes('/videos')) {
      if (method === 'POST') films += 1;
      const id = method === 'POST' ? `film-${films}` : (url.split('/').at(-1) ?? '');
      return sendJson(response, { id, object: 'video', status: method === 'POST' ? 'queued' : filmStatus(id) });
    }
    if (url.startsWith('/groq') && body.includes('incident')) {
      await wait(140);
      return sendJson(response, { error: { message: 'The model is overloaded. Please try again later.' } }, 503);
    }
    if (method === 'GET') return sendJson(response, { data: [{ id: 'own-1' }] });
    const { model, stream } = JSON.parse(body) as ChatBody;
    const events = url.startsWith('/anthropic') ? toMessagesEvents : toChunks;
    await wait(160);
    if (stream === true) return sendStream(response, events(model));
    const message = { role: 'assistant', content: textOf(model) };
    const usage = { prompt_tokens: 21, completion_tokens: 96, total_tokens: 117 };
    sendJson(response, { id: 'x', choices: [{ index: 0, finish_reason: 'stop', message }], usage });
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The first film ends well, the others take longer than anybody waits here. */
const filmStatus = (id: string): string => (id === 'film-1' ? 'completed' : 'in_progress');

async function sendStream(response: ServerResponse, events: readonly string[]): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const middle = Math.floor(events.length * 0.55);
  for (const [at, event] of events.entries()) {
    response.write(event);
    await wait(at === middle ? PAUSE_MS : PIECE_MS + (at % 4) * 9);
  }
  response.end();
}

const piecesOf = (model: string): readonly string[] => textOf(model).match(/\s*\S+\s?/g) ?? [];

/** As the wire of OpenAI streams a completion. */
function toChunks(model: string): string[] {
  const toEvent = (rest: object): string => `data: ${JSON.stringify({ id: 'x', model, ...rest })}\n\n`;
  const usage = { prompt_tokens: 21, completion_tokens: 96, total_tokens: 117 };
  return [
    ...piecesOf(model).map((content) => toEvent({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })),
    toEvent({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    toEvent({ choices: [], usage }),
    'data: [DONE]\n\n',
  ];
}

/** As the wire of Anthropic streams a message. */
function toMessagesEvents(model: string): string[] {
  const toEvent = (type: string, rest: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null };
  return [
    toEvent('message_start', { message: { ...message, usage: { input_tokens: 21, output_tokens: 1 } } }),
    toEvent('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...piecesOf(model).map((piece) =>
      toEvent('content_block_delta', { index: 0, delta: { type: 'text_delta', text: piece } }),
    ),
    toEvent('content_block_stop', { index: 0 }),
    toEvent('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 91 } }),
    toEvent('message_stop', {}),
  ];
}
