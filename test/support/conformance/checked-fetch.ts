import {
  ChatResult$inboundSchema,
  ChatStreamChunk$inboundSchema,
  GenerationContentResponse$inboundSchema,
  GenerationResponse$inboundSchema,
  ListEndpointsResponse$inboundSchema,
  ModelsCountResponse$inboundSchema,
  ModelsListResponse$inboundSchema,
  OpenResponsesResult$inboundSchema,
  ResponsesStreamingResponse$inboundSchema,
} from '@openrouter/sdk/models';
import { z } from 'zod';

export interface CheckedFetch {
  readonly fetch: typeof fetch;
  /** Throws when a response since the last call was not as it must be. */
  throwViolations(): void;
}

/** How a format of the chat API represents a stream, and an error. */
interface StreamForm {
  readonly event: z.ZodType;
  /** The last event: what closes the stream, without the framing. */
  readonly last: RegExp;
}

/** The official client has no schema of a message, so this holds what `@anthropic-ai/sdk` reads without a check. */
const MESSAGE_SCHEMA = z.looseObject({
  id: z.string().min(1),
  type: z.literal('message'),
  role: z.literal('assistant'),
  content: z.array(z.looseObject({ type: z.string() })),
  model: z.string(),
  stop_reason: z.string(),
  usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }),
});

const MESSAGE_ERROR_SCHEMA = z.looseObject({
  type: z.literal('error'),
  error: z.looseObject({ type: z.string().min(1), message: z.string().min(1) }),
});

/** Nor has it one of a text completion, which `openai` reads without a check; the last chunk has the usage alone. */
const TEXT_COMPLETION_SCHEMA = z.looseObject({
  id: z.string().min(1),
  object: z.literal('text_completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(z.looseObject({ text: z.string(), index: z.int(), finish_reason: z.string().nullable() })),
});

/** What `openai` reads of stored responses without a check: the public wire has none of it. */
const DELETED_RESPONSE_SCHEMA = z.strictObject({
  id: z.string().min(1),
  object: z.literal('response'),
  deleted: z.literal(true),
});

const INPUT_ITEMS_SCHEMA = z.strictObject({
  object: z.literal('list'),
  data: z.array(z.looseObject({ id: z.string().min(1), type: z.string().min(1) })),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});

/** Nor has it what the `ollama` client reads, in whole and in each line. */
const OLLAMA_FIGURES = {
  total_duration: z.int(),
  load_duration: z.int(),
  prompt_eval_count: z.int().optional(),
  prompt_eval_duration: z.int(),
  eval_count: z.int().optional(),
  eval_duration: z.int(),
};
const toOllamaSchema = (said: z.ZodRawShape): z.ZodType => {
  const piece = z.looseObject({ model: z.string(), created_at: z.iso.datetime(), ...said });
  return z.union([
    piece.extend({ done: z.literal(false) }),
    piece.extend({ done: z.literal(true), done_reason: z.enum(['stop', 'length']), ...OLLAMA_FIGURES }),
    piece.extend({ done: z.literal(true), done_reason: z.enum(['load', 'unload']) }),
    z.strictObject({ error: z.string().min(1) }),
  ]);
};
const OLLAMA_CHAT_SCHEMA = toOllamaSchema({
  message: z.strictObject({
    role: z.literal('assistant'),
    content: z.string(),
    thinking: z.string().min(1).optional(),
    tool_calls: z
      .array(
        z.object({
          function: z.object({ index: z.int(), name: z.string(), arguments: z.record(z.string(), z.unknown()) }),
        }),
      )
      .min(1)
      .optional(),
  }),
});
const OLLAMA_GENERATE_SCHEMA = toOllamaSchema({ response: z.string(), thinking: z.string().min(1).optional() });
const OLLAMA_DETAILS = z.object({ family: z.string(), families: z.array(z.string()), parameter_size: z.string() });
const OLLAMA_ERROR_SCHEMA = z.strictObject({ error: z.string().min(1) });
const OLLAMA_PATH = /\/api\/(?!v1\/)[^/]+$/;

/** Nor has it what `@google/genai` reads. */
const GEMINI_USAGE = z.looseObject({ promptTokenCount: z.int(), totalTokenCount: z.int() });
const GEMINI_RESPONSE_SCHEMA = z.looseObject({
  candidates: z
    .array(
      z.looseObject({
        content: z.looseObject({ role: z.literal('model'), parts: z.array(z.looseObject({})) }),
        index: z.literal(0),
        finishReason: z.enum(['STOP', 'MAX_TOKENS', 'SAFETY', 'OTHER']).optional(),
      }),
    )
    .length(1),
  usageMetadata: GEMINI_USAGE.optional(),
  modelVersion: z.string().min(1),
  responseId: z.string().regex(/^gen-/),
});
const GEMINI_ERROR_SCHEMA = z.object({
  error: z.object({
    code: z.int(),
    message: z.string().min(1),
    status: z.string().regex(/^[A-Z_]+$/),
    details: z.array(z.looseObject({ '@type': z.string() })).min(1),
  }),
});
const GEMINI_EVENT_SCHEMA = z.union([GEMINI_RESPONSE_SCHEMA, GEMINI_ERROR_SCHEMA]);
const GEMINI_MODEL_SCHEMA = z.looseObject({
  name: z.string().startsWith('models/'),
  supportedGenerationMethods: z.array(z.string()).min(1),
});
const GEMINI_PATH = /\/v1(beta)?\/models/;

/** Schemas by the end of the path; the first that fits is used. */
const SCHEMAS: readonly (readonly [end: RegExp, schema: z.ZodType])[] = [
  [/\/api\/chat$/, OLLAMA_CHAT_SCHEMA],
  [/\/api\/generate$/, OLLAMA_GENERATE_SCHEMA],
  [
    /\/api\/embed$/,
    z.object({ model: z.string(), embeddings: z.array(z.array(z.number())).min(1), ...OLLAMA_FIGURES }).partial(),
  ],
  [/\/api\/embeddings$/, z.object({ embedding: z.array(z.number()).min(1) })],
  [
    /\/api\/(tags|ps)$/,
    z.object({
      models: z.array(
        z.object({
          name: z.string(),
          model: z.string(),
          modified_at: z.iso.datetime(),
          size: z.int(),
          digest: z.string().regex(/^[\da-f]{64}$/),
          details: OLLAMA_DETAILS,
        }),
      ),
    }),
  ],
  [
    /\/api\/show$/,
    z.object({
      capabilities: z.array(z.string()).min(1),
      model_info: z.record(z.string(), z.unknown()),
      details: OLLAMA_DETAILS,
      modified_at: z.iso.datetime(),
    }),
  ],
  [/\/api\/version$/, z.object({ version: z.string().regex(/^\d+\.\d+\.\d+$/) })],
  [/:generateContent$/, GEMINI_RESPONSE_SCHEMA],
  [/:streamGenerateContent$/, z.array(GEMINI_EVENT_SCHEMA).min(1)],
  [/:countTokens$/, z.object({ totalTokens: z.int().positive(), estimated: z.boolean().optional() })],
  [
    /(?<!\/api)\/v1(beta)?\/models$/,
    z.object({ models: z.array(GEMINI_MODEL_SCHEMA), nextPageToken: z.string().optional() }),
  ],
  [/(?<!\/api)\/v1(beta)?\/models\/[^:]+$/, GEMINI_MODEL_SCHEMA],
  [/\/chat\/completions$/, ChatResult$inboundSchema],
  [/\/completions$/, TEXT_COMPLETION_SCHEMA],
  [/\/messages$/, MESSAGE_SCHEMA],
  [/\/messages\/count_tokens$/, z.looseObject({ input_tokens: z.int().positive() })],
  [/\/responses$/, OpenResponsesResult$inboundSchema],
  [/\/responses\/[^/]+$/, z.union([OpenResponsesResult$inboundSchema, DELETED_RESPONSE_SCHEMA])],
  [/\/responses\/[^/]+\/input_items$/, INPUT_ITEMS_SCHEMA],
  [/\/generation\/content$/, GenerationContentResponse$inboundSchema],
  [/\/generation$/, GenerationResponse$inboundSchema],
  [/\/models\/count$/, ModelsCountResponse$inboundSchema],
  [/\/models(\/user)?$/, ModelsListResponse$inboundSchema],
  [/\/endpoints$/, z.object({ data: ListEndpointsResponse$inboundSchema })],
];

/** The official client validates an event together with its framing. */
const RESPONSE_EVENT_SCHEMA = z.preprocess((data) => ({ data }), ResponsesStreamingResponse$inboundSchema);

const STREAMS: readonly (readonly [end: RegExp, form: StreamForm])[] = [
  [/\/chat\/completions$/, { event: ChatStreamChunk$inboundSchema, last: /^\[DONE\]$/ }],
  [/\/completions$/, { event: TEXT_COMPLETION_SCHEMA, last: /^\[DONE\]$/ }],
  [/\/messages$/, { event: z.looseObject({ type: z.string() }), last: /"type":"(message_stop|error)"/ }],
  [/:streamGenerateContent$/, { event: GEMINI_EVENT_SCHEMA, last: /"finishReason"|"error"/ }],
  [/\/responses$/, { event: RESPONSE_EVENT_SCHEMA, last: /^\[DONE\]$/ }],
];

const ERROR_SCHEMA = z.object({
  error: z.object({ code: z.int(), message: z.string().min(1), metadata: z.looseObject({ error_type: z.string() }) }),
});

/** Beside the code, `/responses` has the kind at the top. */
const FORMAT_ERROR_SCHEMA = z.looseObject({ error: z.looseObject({ code: z.int(), message: z.string().min(1) }) });

/**
 * Creates a `fetch` for clients under test that checks every response against the official client's own schemas, for
 * every client. Streams are passed on piece by piece and checked when they have ended.
 */
export function createCheckedFetch(): CheckedFetch {
  const violations: string[] = [];
  const check = (what: string, schema: z.ZodType, value: unknown): void => {
    const result = schema.safeParse(value);
    if (!result.success) violations.push(`${what}: ${z.prettifyError(result.error)}`);
  };

  const checkWhole = (path: string, status: number, text: string): void => {
    const body: unknown = JSON.parse(text);
    if (status >= 400) {
      if (OLLAMA_PATH.test(path)) return check(`${status} ${path}`, OLLAMA_ERROR_SCHEMA, body);
      if (GEMINI_PATH.test(path) && !path.includes('/api/'))
        return check(`${status} ${path}`, GEMINI_ERROR_SCHEMA, body);
      if (/\/messages(\/count_tokens)?$/.test(path)) return check(`${status} ${path}`, MESSAGE_ERROR_SCHEMA, body);
      check(`${status} ${path}`, path.endsWith('/responses') ? FORMAT_ERROR_SCHEMA : ERROR_SCHEMA, body);
      const { code } = (body as { error: { code: number } }).error;
      if (code !== status) violations.push(`${status} ${path}: error.code is ${code}`);
      return;
    }
    const schema = SCHEMAS.find(([end]) => end.test(path))?.[1];
    if (schema === undefined) violations.push(`${path}: no schema to check it with`);
    else check(path, schema, body);
  };

  const checkStream = (path: string, text: string): void => {
    const form = STREAMS.find(([end]) => end.test(path))?.[1];
    if (form === undefined) return void violations.push(`${path}: no schema to check its stream with`);
    const events = text.split('\n\n').flatMap((event) => /^data: (.*)$/m.exec(event)?.[1] ?? []);
    if (!form.last.test(events.at(-1) ?? '')) violations.push(`${path}: the stream is not closed`);
    for (const event of events) if (event !== '[DONE]') check(`${path} (event)`, form.event, JSON.parse(event));
  };

  const checkLines = (path: string, text: string): void => {
    const schema = SCHEMAS.find(([end]) => end.test(path))?.[1] ?? z.never();
    const lines = text.split('\n').slice(0, -1);
    if (!text.endsWith('\n') || !/"done":true|"error"/.test(lines.at(-1) ?? '')) violations.push(`${path}: no end`);
    for (const line of lines) check(`${path} (line)`, schema, JSON.parse(line));
  };

  return {
    throwViolations() {
      const found = violations.splice(0);
      if (found.length > 0) throw new Error(`responses that break the official schemas:\n${found.join('\n')}`);
    },
    async fetch(input, init) {
      const response = await fetch(input, init);
      const path = new URL(input instanceof Request ? input.url : input).pathname;
      const { status, headers } = response;
      if (headers.get('content-type')?.startsWith('text/event-stream') === true && response.body !== null) {
        return new Response(response.body.pipeThrough(tap((text) => checkStream(path, text))), { status, headers });
      }
      if (headers.get('content-type') === 'application/x-ndjson' && response.body !== null) {
        return new Response(response.body.pipeThrough(tap((text) => checkLines(path, text))), { status, headers });
      }
      const text = await response.text();
      checkWhole(path, status, text);
      return new Response(text, { status, headers });
    },
  };
}

/** Passes bytes on, and hands over all of them as text at the end. */
function tap(onEnd: (text: string) => void): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder();
  let text = '';
  return new TransformStream({
    transform(bytes, controller) {
      text += decoder.decode(bytes, { stream: true });
      controller.enqueue(bytes);
    },
    flush: () => onEnd(text),
  });
}
