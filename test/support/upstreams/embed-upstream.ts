import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import { onTestFinished } from 'vitest';

/** The vector of a text: its length, and what a 32-bit float holds of a tenth of it. */
export const vectorOf = (text: string): number[] => [text.length, Math.fround(text.length / 10)];

const toBase64 = (vector: readonly number[]): string => Buffer.from(new Float32Array(vector).buffer).toString('base64');

type Body = Readonly<Record<string, unknown>>;

interface EmbedForm {
  /** The address that is configured. */
  readonly base: string;
  /** What is called below the origin, where all inputs are sent. */
  readonly path: string;
  readonly fields: readonly string[];
  readonly textsOf: (body: Body) => readonly string[];
  readonly toBody: (texts: readonly string[], body: Body) => object;
  readonly toError: (message: string) => object;
}

const textsIn = ({ input }: Body): readonly string[] => [input as string | string[]].flat();
const toError = (message: string): object => ({ error: { message, type: 'invalid_request_error' } });

/** The answer of most: base64 where the body has asked for it. */
const toList = (usage: object) => (texts: readonly string[], body: Body) => ({
  object: 'list',
  model: 'vectors',
  data: texts.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: Object.values(body).includes('base64') ? toBase64(vectorOf(text)) : vectorOf(text),
  })),
  usage,
});

/** Embeddings as their providers have them, each strict about the fields that it takes. */
export const EMBED_FORMS = {
  openai: {
    base: '/v1',
    path: '/v1/embeddings',
    fields: ['model', 'input', 'dimensions', 'encoding_format', 'user'],
    textsOf: textsIn,
    toBody: toList({ prompt_tokens: 5, total_tokens: 5 }),
    toError,
  },
  mistral: {
    base: '/v1',
    path: '/v1/embeddings',
    fields: ['model', 'input', 'output_dimension', 'output_dtype', 'encoding_format'],
    textsOf: textsIn,
    toBody: toList({ prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 }),
    toError: (message) => ({ object: 'error', message, type: 'invalid_request' }),
  },
  voyage: {
    base: '/v1',
    path: '/v1/embeddings',
    fields: ['model', 'input', 'input_type', 'truncation', 'output_dimension', 'output_dtype', 'encoding_format'],
    textsOf: textsIn,
    toBody: toList({ total_tokens: 5 }),
    toError: (detail) => ({ detail }),
  },
  jina: {
    base: '/v1',
    path: '/v1/embeddings',
    fields: ['model', 'input', 'task', 'dimensions', 'embedding_type', 'normalized', 'truncate'],
    textsOf: textsIn,
    toBody: toList({ prompt_tokens: 5, total_tokens: 5 }),
    toError: (detail) => ({ detail }),
  },
  ollama: {
    base: '/v1',
    path: '/v1/embeddings',
    // It reads past what it does not know, such as the purpose.
    fields: ['model', 'input', 'dimensions', 'encoding_format', 'user', 'input_type'],
    textsOf: textsIn,
    // It sends numbers, whatever it is asked for.
    toBody: (texts) => toList({ prompt_tokens: 5, total_tokens: 5 })(texts, {}),
    toError,
  },
  cohere: {
    base: '/compatibility/v1',
    path: '/v2/embed',
    fields: ['model', 'texts', 'inputs', 'input_type', 'embedding_types', 'output_dimension', 'truncate'],
    textsOf: ({ texts, inputs }) =>
      (texts as string[] | undefined) ??
      (inputs as { content: { text?: string }[] }[]).map(({ content }) =>
        content.map(({ text = '?' }) => text).join(''),
      ),
    toBody: (texts, { embedding_types: [type] = [] }: { embedding_types?: string[] }) => ({
      id: 'c-1',
      texts,
      embeddings: {
        [type ?? 'float']: texts.map((text) => (type === 'base64' ? toBase64(vectorOf(text)) : vectorOf(text))),
      },
      meta: { api_version: { version: '2' }, billed_units: { input_tokens: 5 } },
    }),
    toError: (message) => ({ id: 'c-2', message }),
  },
  google: {
    base: '/v1beta',
    path: '/v1beta/models/vectors:batchEmbedContents',
    fields: ['requests'],
    textsOf: ({ requests }) =>
      (requests as { content: { parts: { text?: string }[] } }[]).map(({ content }) =>
        content.parts.map(({ text = '?' }) => text).join(''),
      ),
    toBody: (texts) => ({
      embeddings: texts.map((text) => ({ values: vectorOf(text) })),
      usageMetadata: { promptTokenCount: 5 },
    }),
    toError: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
  },
} as const satisfies Record<string, EmbedForm>;

export type EmbedFormName = keyof typeof EMBED_FORMS;

/** Starts a server of one of the forms. `bodies` grows with each request. */
export async function startEmbedUpstream(
  name: EmbedFormName,
): Promise<{ readonly baseUrl: string; readonly bodies: readonly Body[] }> {
  const form: EmbedForm = EMBED_FORMS[name];
  const bodies: Body[] = [];
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await json(request)) as Body;
    bodies.push(body);
    const unknown = Object.keys(body).filter((field) => !form.fields.includes(field));
    const problem =
      request.url !== form.path
        ? `unknown address ${request.url}`
        : unknown.length > 0
          ? `unknown fields: ${unknown.join(', ')}`
          : null;
    response.statusCode = problem === null ? 200 : 400;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(problem === null ? form.toBody(form.textsOf(body), body) : form.toError(problem)));
  };
  const server = createServer((request, response) => void reply(request, response));
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}${form.base}`, bodies };
}
