import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider of the OpenAI wire that says whatever it is told, everywhere a provider can say something. */
export interface Echo {
  /** `http://127.0.0.1:41234` */
  readonly url: string;
  readonly close: () => void;
}

interface EchoRequest {
  readonly model?: string;
  readonly stream?: boolean;
  readonly prompt?: string;
  readonly messages?: readonly { readonly content?: unknown }[];
}

/** Takes deliveries at `/hook`, and refuses them. */
export async function startEcho(): Promise<Echo> {
  /** Prompts of the requested films, by the id of the job. */
  const films = new Map<string, string>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (data) => (body += String(data)));
    request.on('end', () => {
      const { url = '', method } = request;
      if (url.startsWith('/hook')) return response.writeHead(500).end();
      if (url.includes('/videos/')) return sendJson(response, toFilm(films, url.split('/').at(-1) ?? ''));
      if (method !== 'POST') return response.writeHead(404).end();
      const call = toCall(request.headers['content-type'] ?? '', body);
      if (url.endsWith('/videos')) {
        const id = `film-${films.size}`;
        films.set(id, call.prompt ?? '');
        return sendJson(response, { ...toFilm(films, id), status: 'queued', error: null });
      }
      return sendCompletion(call, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

/** Videos are asked for by a form with files, of which the prompt alone matters here. */
function toCall(contentType: string, body: string): EchoRequest {
  if (contentType.startsWith('application/json')) return JSON.parse(body) as EchoRequest;
  return { prompt: /name="prompt"\r\n\r\n([^]*?)\r\n--/.exec(body)?.[1] ?? '' };
}

/** Failed at the first look, for the reason that it was given as its prompt. */
const toFilm = (films: ReadonlyMap<string, string>, id: string): object => ({
  id,
  object: 'video',
  status: 'failed',
  error: { code: films.get(id), message: films.get(id) },
});

function sendCompletion({ model, stream = false, messages = [] }: EchoRequest, response: ServerResponse): void {
  const said = messages.at(-1)?.content;
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  if (model === 'error') {
    return sendJson(response, { error: { message: text, type: text, code: text, param: text } }, 400);
  }
  const calls = [{ index: 0, id: text.slice(0, 64), type: 'function', function: { name: 'note', arguments: text } }];
  const head = { id: text.slice(0, 64), object: 'chat.completion', created: 1, model: text.slice(0, 64) };
  if (!stream) {
    const message = { role: 'assistant', content: text, reasoning_content: text, tool_calls: calls };
    return sendJson(response, { ...head, choices: [{ index: 0, finish_reason: 'stop', message }], usage: USAGE });
  }
  // In halves, which may fall between the two halves of a character.
  const half = Math.ceil(text.length / 2);
  const deltas = [
    { role: 'assistant', reasoning_content: text },
    { content: text.slice(0, half) },
    { content: text.slice(half) },
    { tool_calls: calls },
  ];
  const events = [
    ...deltas.map((delta) => ({ ...head, choices: [{ index: 0, delta, finish_reason: null }] })),
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { ...head, choices: [], usage: USAGE },
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end([...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n'].join(''));
}

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

function sendJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
