/** A key of the measured gateway. The bare proxy checks no key. */
export const BENCH_KEY = 'sk-gw-v1-bench-0123456789abcdef0123456789abcdef0123456789abcdef';

/** The management key of the measured gateway. */
export const BENCH_MANAGEMENT_KEY = 'sk-gw-v1-bench-management-0123456789abcdef0123456789abcdef';

/** A form of the chat API, by the gateway's name of it. */
export type Form = 'chat' | 'messages' | 'responses' | 'gemini';

/** The path at which a target takes requests, their form, and the headers that it needs with each. */
export interface Route {
  readonly path: string;
  /** Whether the model and the stream are in the path, behind what is above. */
  readonly hasModelInPath?: true;
  readonly form: Form;
  readonly headers: Readonly<Record<string, string>>;
  /** Stands before the name of a script in that of a model. Default: `bench/`. */
  readonly modelPrefix?: string;
  /** What is sent in place of a short chat. */
  readonly body?: string;
}

/** The gateway's route for each form; that of chat completions is the bare proxy's, too. */
export const ROUTES: Readonly<Record<Form, Route>> = {
  chat: { path: '/api/v1/chat/completions', form: 'chat', headers: {} },
  messages: { path: '/api/v1/messages', form: 'messages', headers: { 'anthropic-version': '2023-06-01' } },
  responses: { path: '/api/v1/responses', form: 'responses', headers: {} },
  gemini: { path: '/v1beta/models/', hasModelInPath: true, form: 'gemini', headers: {} },
};

/** The path of a request. */
export const pathOf = (
  { path, hasModelInPath, modelPrefix = 'bench/' }: Route,
  script: string,
  stream: boolean,
): string =>
  hasModelInPath === undefined
    ? path
    : `${path}${modelPrefix}${script}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;

/** The end of a stream in each form. */
export const STREAM_ENDS: Readonly<Record<Form, string>> = {
  chat: 'data: [DONE]',
  messages: 'data: {"type":"message_stop"}',
  responses: 'data: [DONE]',
  // It has no mark of its own; in place of one, what an error does not have.
  gemini: '"responseId":"gen-',
};

const SYSTEM = 'You are an assistant who answers briefly and to the point.';
const PROMPT = 'Say in two lines of verse what a proxy does, then explain them in plain words.';

const FIELDS: Readonly<Record<Form, object>> = {
  chat: {
    messages: [
      { role: 'system', content: SYSTEM },
      { role: 'user', content: PROMPT },
    ],
    temperature: 0.5,
    max_tokens: 400,
  },
  messages: { system: SYSTEM, messages: [{ role: 'user', content: PROMPT }], temperature: 0.5, max_tokens: 400 },
  responses: { instructions: SYSTEM, input: PROMPT, temperature: 0.5, max_output_tokens: 400, store: false },
  gemini: {
    systemInstruction: { parts: [{ text: SYSTEM }] },
    contents: [{ role: 'user', parts: [{ text: PROMPT }] }],
    generationConfig: { temperature: 0.5, maxOutputTokens: 400 },
  },
};

/** The request that all measurements send: a short chat, as an application would ask. */
export function toRequestBody(script: string, stream: boolean, route: Route = ROUTES.chat): string {
  const { form, modelPrefix = 'bench/', hasModelInPath, body } = route;
  if (body !== undefined) return body;
  if (hasModelInPath === true) return JSON.stringify(FIELDS[form]);
  return JSON.stringify({ model: `${modelPrefix}${script}`, ...FIELDS[form], ...(stream && { stream: true }) });
}

/** The same request as the bytes of HTTP/1.1. */
export function toRequestBytes(port: number, script: string, stream: boolean, route = ROUTES.chat): Buffer {
  const { headers } = route;
  const path = pathOf(route, script, stream);
  const body = toRequestBody(script, stream, route);
  const all = {
    host: `127.0.0.1:${port}`,
    authorization: `Bearer ${BENCH_KEY}`,
    'content-type': 'application/json',
    'user-agent': 'model-gateway-bench',
    ...headers,
    'content-length': Buffer.byteLength(body),
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`);
}
