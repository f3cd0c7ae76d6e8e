import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Transport } from '@model-gateway/core';
import { onTestFinished } from 'vitest';

/** Whose batch API it has. */
export type BatchForm = 'openai' | 'anthropic' | 'google';

/** What becomes of one request of a batch. */
export type Fate = 'answered' | 'invalid' | 'overloaded' | 'missing';

interface SentBatch {
  readonly id: string;
  /** The name by which the gateway finds it again; undefined where the form has none. */
  readonly marker: string | undefined;
  readonly requests: readonly { readonly id: string; readonly text: string }[];
  state: 'running' | 'ended' | 'failed';
  isCancelled: boolean;
  isDiscarded: boolean;
}

/** A provider with a batch API, which ends its batches when it is told to, and makes single calls as well. */
export interface BatchUpstream {
  readonly batches: readonly SentBatch[];
  /** Questions of calls that were made one by one. */
  readonly calls: readonly string[];
  /** Refuses what is sent from now on. Null: takes it again. */
  refuseWith(status: number | null): void;
  /** Breaks the connection once a batch was taken, so that its sender does not learn of it. */
  breakAfterNext(): void;
  /** Its results cannot be read from now on, where they have an address of their own. */
  hideResults(): void;
  /** Ends the batches that run; by default each request is answered. */
  finish(fateOf?: (text: string) => Fate): void;
  /** Ends them as wrong as a whole. */
  fail(): void;
  readonly transport: Transport;
  /** Serves it at an address on loopback, until the test has ended. */
  listen(): Promise<string>;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  /** The connection breaks instead. */
  readonly isBroken?: boolean;
}

/** Usage of each answer: one token of the prompt, and one for each character of the question. */
const usageOf = (text: string): readonly [prompt: number, completion: number] => [1, text.length];

/** `callMs`: how long it takes for a single call, when it serves at an address. */
export function createBatchUpstream(form: BatchForm, { callMs = 0 } = {}): BatchUpstream {
  const batches: SentBatch[] = [];
  const files = new Map<string, string>();
  const calls: string[] = [];
  let fateOf: (text: string) => Fate = () => 'answered';
  let refusal: number | null = null;
  let breaks = false;
  let hidesResults = false;

  const add = (id: string, marker: string | undefined, requests: SentBatch['requests']): SentBatch => {
    const batch: SentBatch = { id, marker, requests, state: 'running', isCancelled: false, isDiscarded: false };
    batches.push(batch);
    return batch;
  };
  const ok = (value: unknown): Answer => ({ status: 200, body: JSON.stringify(value) });
  const refuse = (status: number): Answer => ({ status, body: JSON.stringify(toError(form, status)) });
  const taken = (value: unknown): Answer => {
    if (!breaks) return ok(value);
    breaks = false;
    return { status: 0, body: '', isBroken: true };
  };
  const find = (id: string): SentBatch | undefined => batches.find((batch) => batch.id === id && !batch.isDiscarded);
  /** One that has ended cannot be cancelled any more. */
  const cancel = (batch: SentBatch): boolean => {
    if (batch.state !== 'running') return false;
    batch.isCancelled = true;
    return true;
  };
  /** Results come in the opposite order of the requests. */
  const resultsOf = (batch: SentBatch) =>
    batch.requests.toReversed().map(({ id, text }) => {
      const fate = batch.isCancelled && fateOf(text) !== 'answered' ? 'missing' : fateOf(text);
      return { id, text, fate };
    });

  const openAi = (method: string, path: string, body: string): Answer => {
    if (method === 'POST' && path === '/files') {
      const id = `file-${files.size + 1}`;
      files.set(id, body.slice(body.indexOf('\r\n\r\n', body.indexOf('name="file"')) + 4, body.lastIndexOf('\r\n--')));
      return ok({ id, object: 'file' });
    }
    if (method === 'POST' && path === '/batches') {
      const { input_file_id: fileId, metadata } = JSON.parse(body) as {
        input_file_id: string;
        metadata: { gateway_batch: string };
      };
      const lines = (files.get(fileId) ?? '').trim().split('\n');
      const requests = lines.map((line) => {
        const { custom_id: id, body: sent } = JSON.parse(line) as { custom_id: string; body: ChatBody };
        return { id, text: textOf(sent) };
      });
      return taken(toOpenAi(add(`batch_up_${batches.length + 1}`, metadata.gateway_batch, requests)));
    }
    if (path.startsWith('/batches?')) return ok({ data: batches.map(toOpenAi) });
    const [, kind, id = '', action] = path.split('/');
    const batch = find(id);
    if (kind === 'batches') {
      if (batch === undefined) return refuse(404);
      if (action === 'cancel' && !cancel(batch)) return refuse(409);
      return ok(toOpenAi(batch));
    }
    if (kind === 'files' && method === 'DELETE') {
      const owner = batches.find((one) => id.endsWith(one.id));
      if (owner !== undefined) owner.isDiscarded = true;
      return ok({ id, deleted: true });
    }
    const owner = batches.find((one) => id.endsWith(one.id));
    if (owner === undefined) return refuse(404);
    const lines = resultsOf(owner).filter(({ fate }) => (fate === 'answered') === id.startsWith('output'));
    return {
      status: 200,
      body: lines
        .map(({ id: customId, text, fate }) =>
          JSON.stringify({
            custom_id: customId,
            response:
              fate === 'missing'
                ? null
                : fate === 'answered'
                  ? { status_code: 200, body: toCompletion(form, text) }
                  : { status_code: statusOf(fate), body: toError(form, statusOf(fate)) },
            error: fate === 'missing' ? { code: 'batch_expired', message: 'Expired' } : null,
          }),
        )
        .join('\n'),
    };
  };

  const anthropic = (method: string, path: string, body: string): Answer => {
    if (method === 'POST' && path === '/messages/batches') {
      const { requests } = JSON.parse(body) as { requests: { custom_id: string; params: ChatBody }[] };
      const sent = requests.map(({ custom_id: id, params }) => ({ id, text: textOf(params) }));
      return taken(toAnthropic(add(`msgbatch_${batches.length + 1}`, undefined, sent)));
    }
    const [, , , id = '', action] = path.split('/');
    const batch = find(id);
    if (batch === undefined) return refuse(404);
    if (action === 'cancel' && !cancel(batch)) return refuse(400);
    if (method === 'DELETE') batch.isDiscarded = true;
    if (action !== 'results') return ok(toAnthropic(batch));
    return {
      status: 200,
      body: resultsOf(batch)
        .map(({ id: customId, text, fate }) =>
          JSON.stringify({
            custom_id: customId,
            result:
              fate === 'answered'
                ? { type: 'succeeded', message: toCompletion(form, text) }
                : fate === 'missing'
                  ? { type: 'expired' }
                  : { type: 'errored', error: toError(form, statusOf(fate)) },
          }),
        )
        .join('\n'),
    };
  };

  const google = (method: string, path: string, body: string): Answer => {
    if (path.endsWith(':batchGenerateContent')) {
      const { batch } = JSON.parse(body) as {
        batch: {
          display_name: string;
          input_config: { requests: { requests: { request: GoogleBody; metadata: { key: string } }[] } };
        };
      };
      const requests = batch.input_config.requests.requests.map(({ request, metadata }) => ({
        id: metadata.key,
        text: request.contents.at(-1)?.parts[0]?.text ?? '',
      }));
      return taken(toGoogle(add(`batches/${batches.length + 1}`, batch.display_name, requests), []));
    }
    if (path.startsWith('/batches?')) return ok({ operations: batches.map((batch) => toGoogle(batch, [])) });
    const batch = find(path.slice(1).replace(/:cancel$/, ''));
    if (batch === undefined) return refuse(404);
    if (path.endsWith(':cancel') && !cancel(batch)) return refuse(400);
    if (method === 'DELETE') batch.isDiscarded = true;
    if (method !== 'GET') return ok({});
    const responses = resultsOf(batch).map(({ id, text, fate }) => ({
      metadata: { key: id },
      ...(fate === 'answered'
        ? { response: toCompletion(form, text) }
        : { error: { code: { invalid: 3, overloaded: 14, missing: 4 }[fate], message: 'Wrong' } }),
    }));
    return ok(toGoogle(batch, batch.state === 'ended' ? responses : []));
  };

  const serve = (method: string, path: string, body: string): Answer => {
    if (isCall(path)) {
      const sent = JSON.parse(body) as ChatBody & GoogleBody;
      const text = form === 'google' ? (sent.contents.at(-1)?.parts[0]?.text ?? '') : textOf(sent);
      calls.push(text);
      return ok(toCompletion(form, text));
    }
    if (method === 'POST' && refusal !== null) return refuse(refusal);
    if (hidesResults && /\/(?:content|results)$/.test(path)) return refuse(503);
    return { openai: openAi, anthropic, google }[form](method, path, body);
  };

  return {
    batches,
    calls,
    refuseWith: (status) => void (refusal = status),
    breakAfterNext: () => void (breaks = true),
    hideResults: () => void (hidesResults = true),
    finish(chosen) {
      if (chosen !== undefined) fateOf = chosen;
      for (const batch of batches) if (batch.state === 'running') batch.state = 'ended';
    },
    fail() {
      for (const batch of batches) if (batch.state === 'running') batch.state = 'failed';
    },
    transport: {
      async send({ method, url, body }) {
        const { pathname, search } = new URL(url);
        const path = `${pathname.replace(/^\/v1(beta)?/, '')}${search}`;
        const answer = serve(method, path, await readBody(body));
        if (answer.isBroken === true) throw new Error('The connection was reset');
        return { status: answer.status, headers: { 'content-type': 'application/json' }, body: inPieces(answer.body) };
      },
    },
    async listen() {
      const server = createServer((request, response) => {
        void readRequest(request).then((body) => {
          const answer = serve(request.method ?? '', (request.url ?? '').replace(/^\/v1(beta)?/, ''), body);
          if (answer.isBroken === true) return void request.socket.destroy();
          const end = (): void =>
            void response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
          if (callMs > 0 && isCall(request.url ?? '')) setTimeout(end, callMs);
          else end();
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => server.close().closeAllConnections());
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    },
  };
}

interface ChatBody {
  readonly messages: readonly { readonly content: string | readonly { readonly text: string }[] }[];
}

interface GoogleBody {
  readonly contents: readonly { readonly parts: readonly { readonly text: string }[] }[];
}

function textOf({ messages }: ChatBody): string {
  const content = messages.at(-1)?.content ?? '';
  return typeof content === 'string' ? content : (content[0]?.text ?? '');
}

const isCall = (path: string): boolean => /\/chat\/completions$|\/messages$|:generateContent$/.test(path);

const statusOf = (fate: Fate): number => (fate === 'invalid' ? 400 : 503);

const toOpenAi = ({ id, state, marker, isCancelled }: SentBatch) => ({
  id,
  object: 'batch',
  status: state === 'running' ? 'in_progress' : state === 'failed' ? 'failed' : isCancelled ? 'cancelled' : 'completed',
  metadata: { gateway_batch: marker },
  input_file_id: `input-${id}`,
  ...(state === 'ended' && { output_file_id: `output-${id}`, error_file_id: `error-${id}` }),
});

const toAnthropic = ({ id, state, isCancelled }: SentBatch) => ({
  id,
  type: 'message_batch',
  processing_status: state !== 'running' ? 'ended' : isCancelled ? 'canceling' : 'in_progress',
});

const toGoogle = ({ id, state, marker, isCancelled }: SentBatch, inlined: readonly object[]) => {
  const word =
    state === 'running' ? 'RUNNING' : state === 'failed' ? 'FAILED' : isCancelled ? 'CANCELLED' : 'SUCCEEDED';
  return {
    name: id,
    metadata: { state: `BATCH_STATE_${word}`, displayName: marker },
    done: state !== 'running',
    ...(inlined.length > 0 && { response: { inlinedResponses: { inlinedResponses: inlined } } }),
  };
};

function toError(form: BatchForm, status: number): object {
  const message = 'Wrong';
  if (form === 'google') return { error: { code: status, message, status: 'UNKNOWN' } };
  const type = status === 400 ? 'invalid_request_error' : status === 503 ? 'overloaded_error' : 'api_error';
  return form === 'anthropic' ? { type: 'error', error: { type, message } } : { error: { message, type } };
}

function toCompletion(form: BatchForm, text: string): object {
  const [prompt, completion] = usageOf(text);
  const answer = `Answer to ${text}`;
  if (form === 'anthropic') {
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: answer }],
      stop_reason: 'end_turn',
      usage: { input_tokens: prompt, output_tokens: completion },
    };
  }
  if (form === 'google') {
    return {
      candidates: [{ content: { role: 'model', parts: [{ text: answer }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: prompt,
        candidatesTokenCount: completion,
        totalTokenCount: prompt + completion,
      },
    };
  }
  return {
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: answer }, finish_reason: 'stop' }],
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  };
}

type SentBody = Parameters<Transport['send']>[0]['body'];

async function readBody(body: SentBody): Promise<string> {
  if (typeof body === 'string' || body === undefined) return body ?? '';
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const pieces: Uint8Array[] = [];
  for await (const piece of body()) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

async function readRequest(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

/** In pieces that end within lines. */
async function* inPieces(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 97) yield bytes.subarray(at, at + 97);
}
