import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';

/*
 * The thinnest server over llama.cpp inside of Node.js, for machines without `llama-server`: chat completions alone. The
 * engine is real, the protocol is written here; so it shows what the engine does and nothing about llama.cpp's server.
 * Started as a process of its own, so that a long answer does not hold the gateway.
 *
 * node binding-server.ts PACKAGE_JSON --model FILE --alias NAME --port NUMBER
 */

/** What is used of `@fugood/llama.node`. */
interface Engine {
  completion(
    options: Readonly<Record<string, unknown>>,
    onToken: (piece: { readonly token: string }) => void,
  ): Promise<{
    readonly text: string;
    /** Without the fence in which it may put JSON. */
    readonly content?: string;
    /** Those of the prompt and those of the completion. */
    readonly tokens_evaluated: number;
    readonly tokens_predicted: number;
    readonly stopped_limited: boolean;
  }>;
  stopCompletion(): void;
}

interface Asked {
  readonly messages: readonly unknown[];
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly seed?: number;
  readonly temperature?: number;
  readonly response_format?: object;
  readonly logit_bias?: Readonly<Record<string, number>>;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  strict: true,
  options: {
    model: { type: 'string', default: '' },
    alias: { type: 'string', default: '' },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '0' },
  },
});
const binding = createRequire(positionals[0] ?? '')('@fugood/llama.node') as {
  loadModel(options: object): Promise<Engine>;
};
const engine = await binding.loadModel({ model: values.model, n_ctx: 4096, n_threads: 1 });

let isBusy = false;
/** One completion at a time: the context has one place. */
let last: Promise<unknown> = Promise.resolve();

async function complete(asked: Asked, response: ServerResponse): Promise<void> {
  const head = { id: 'chatcmpl-binding', created: Math.floor(Date.now() / 1000), model: values.alias };
  const isStream = asked.stream === true;
  const object = isStream ? 'chat.completion.chunk' : 'chat.completion';
  const send = (told: object): void => void response.write(`data: ${JSON.stringify({ ...head, object, ...told })}\n\n`);
  if (isStream) response.writeHead(200, { 'content-type': 'text/event-stream' });
  // Its own count differs by one with what it has kept of the call before.
  let said = 0;
  const result = await engine.completion(toOptions(asked), ({ token }) => {
    said += 1;
    if (isStream) send({ choices: [{ index: 0, delta: { content: token }, finish_reason: null }] });
  });
  const prompt = result.tokens_evaluated - result.tokens_predicted;
  const usage = { prompt_tokens: prompt, completion_tokens: said, total_tokens: prompt + said };
  const finish_reason = result.stopped_limited ? 'length' : 'stop';
  if (isStream) {
    send({ choices: [{ index: 0, delta: {}, finish_reason }], usage });
    response.end('data: [DONE]\n\n');
    return;
  }
  const message = { role: 'assistant', content: result.content ?? result.text };
  respond(response, 200, { ...head, object, choices: [{ index: 0, message, finish_reason }], usage });
}

const toOptions = (asked: Asked): Readonly<Record<string, unknown>> => ({
  messages: asked.messages,
  jinja: true,
  n_predict: asked.max_completion_tokens ?? asked.max_tokens ?? 256,
  // Another one each time, as llama.cpp's own server.
  seed: asked.seed ?? -1,
  temperature: asked.temperature ?? 1,
  ...(asked.response_format !== undefined && { response_format: asked.response_format }),
  logit_bias: Object.entries(asked.logit_bias ?? {}).map(([token, bias]) => [Number(token), bias]),
});

function takeTurn(asked: Asked, response: ServerResponse): Promise<void> {
  const turn = last.then(async () => {
    if (response.destroyed) return;
    isBusy = true;
    const stop = (): void => {
      if (!response.writableEnded) engine.stopCompletion();
    };
    response.on('close', stop);
    await complete(asked, response).finally(() => (isBusy = false));
  });
  last = turn.catch(() => undefined);
  return turn;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString());
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  switch (request.url) {
    case '/health':
      return respond(response, 200, { status: 'ok' });
    case '/slots':
      return respond(response, 200, [{ is_processing: isBusy }]);
    case '/v1/models':
      return respond(response, 200, { object: 'list', data: [{ id: values.alias, object: 'model' }] });
    case '/v1/chat/completions':
      return takeTurn((await readJson(request)) as Asked, response);
    default:
      return respond(response, 404, { error: { message: 'This server has chat completions alone' } });
  }
}

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    if (response.headersSent) response.destroy();
    else respond(response, 500, { error: { message: String(error) } });
  });
});
server.listen(Number(values.port), values.host);
await once(server, 'listening');
