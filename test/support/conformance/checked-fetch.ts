import {
  ChatResult$inboundSchema,
  ChatStreamChunk$inboundSchema,
  GenerationContentResponse$inboundSchema,
  GenerationResponse$inboundSchema,
  ListEndpointsResponse$inboundSchema,
  ModelsCountResponse$inboundSchema,
  ModelsListResponse$inboundSchema,
} from '@openrouter/sdk/models';
import { z } from 'zod';

export interface CheckedFetch {
  readonly fetch: typeof fetch;
  /** Throws when a response since the last call was not as it must be. */
  throwViolations(): void;
}

/** Schemas by the end of the path; the first that fits is used. */
const SCHEMAS: readonly (readonly [end: RegExp, schema: z.ZodType])[] = [
  [/\/chat\/completions$/, ChatResult$inboundSchema],
  [/\/generation\/content$/, GenerationContentResponse$inboundSchema],
  [/\/generation$/, GenerationResponse$inboundSchema],
  [/\/models\/count$/, ModelsCountResponse$inboundSchema],
  [/\/models(\/user)?$/, ModelsListResponse$inboundSchema],
  [/\/endpoints$/, z.object({ data: ListEndpointsResponse$inboundSchema })],
];

const ERROR_SCHEMA = z.object({
  error: z.object({ code: z.int(), message: z.string().min(1), metadata: z.looseObject({ error_type: z.string() }) }),
});

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
      check(`${status} ${path}`, ERROR_SCHEMA, body);
      const { code } = (body as { error: { code: number } }).error;
      if (code !== status) violations.push(`${status} ${path}: error.code is ${code}`);
      return;
    }
    const schema = SCHEMAS.find(([end]) => end.test(path))?.[1];
    if (schema === undefined) violations.push(`${path}: no schema to check it with`);
    else check(path, schema, body);
  };

  const checkStream = (path: string, text: string): void => {
    const events = text.split('\n\n').filter((event) => event !== '' && !event.startsWith(':'));
    if (events.pop() !== 'data: [DONE]') violations.push(`${path}: the stream does not end with [DONE]`);
    for (const event of events) {
      check(`${path} (event)`, ChatStreamChunk$inboundSchema, JSON.parse(event.replace(/^data: /, '')));
    }
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
