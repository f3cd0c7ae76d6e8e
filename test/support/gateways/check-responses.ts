import type { Gateway, GatewayRequest, GatewayResponse } from '@model-gateway/core';
import type { z } from 'zod';

import { ROUTES } from '../../../packages/core/src/api/routes.ts';
import { createRouter } from '../../../packages/core/src/http/create-router.ts';
import type { MediaTypes } from '../../../packages/core/src/http/operation.ts';

const router = createRouter(ROUTES);

/** The same gateway; it rejects, or its stream does, where it would send what its route does not document. */
export function withCheckedResponses(gateway: Gateway): Gateway {
  return {
    ...gateway,
    handle: async (request) => checkResponse(request, await gateway.handle(request)),
  };
}

/**
 * Compares a success with what its route documents: the media type, and by the schema its JSON, the events of its
 * stream, or its lines. Throws where they differ, by a field too many as well.
 */
async function checkResponse({ method, path }: GatewayRequest, sent: GatewayResponse): Promise<GatewayResponse> {
  const { status, headers, body } = sent;
  if (status >= 300) return sent;
  const { response, status: documented } = await router.match(method, path).route.load();
  const mediaTypes: MediaTypes['mediaTypes'] =
    'mediaTypes' in response ? response.mediaTypes : { 'application/json': response };
  const type = headers['content-type']?.replace(/;.*/, '') ?? '';
  const name = `${method} ${path}`;
  const known = Object.keys(mediaTypes).find((one) => one === type || one === type.replace(/[^/]*$/, '*'));
  if (known === undefined) throw new Error(`${name} answers ${type}, and does not document it`);
  const schema = mediaTypes[known] ?? null;
  if (schema === null || body === null || body instanceof Uint8Array) return sent;
  if (status !== documented) throw new Error(`${name} answers ${status}, and documents ${documented}`);
  const check = (text: string): void => {
    for (const told of READERS[type]?.(text) ?? [JSON.parse(text)]) checkValue(told, schema, name);
  };
  if (typeof body !== 'string') return { ...sent, body: checkPieces(body, check) };
  check(body);
  return sent;
}

/** What the text of a stream holds for its schema, by media type. Each piece of a stream holds whole events or lines. */
const READERS: Readonly<Record<string, (text: string) => unknown[]>> = {
  'application/x-ndjson': (text) => text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
  'text/event-stream': (text) => text.split('\n\n').flatMap(readEvent),
};

/** Returns no event for a comment, and for the end mark. */
function readEvent(frame: string): unknown[] {
  const lines = frame.split('\n').flatMap((line) => {
    const [, name, value] = /^(id|event|data): (.*)$/s.exec(line) ?? [];
    return name === undefined ? [] : [[name, value] as const];
  });
  const { data, ...names } = Object.fromEntries(lines);
  return data === undefined || data === '[DONE]' ? [] : [{ ...names, data: JSON.parse(data) as unknown }];
}

function checkPieces(body: AsyncIterable<Uint8Array>, check: (text: string) => void): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const pieces = body[Symbol.asyncIterator]();
      return {
        async next() {
          const step = await pieces.next();
          if (step.done !== true) check(new TextDecoder().decode(step.value));
          return step;
        },
        return: async () => (await pieces.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}

function checkValue(told: unknown, schema: z.ZodType, name: string): void {
  const { data, error } = schema.safeParse(told);
  if (error !== undefined) throw new Error(`${name} does not answer what it documents: ${error.message}`);
  const missing = fieldsOnlyIn(told, data);
  if (missing.length > 0) throw new Error(`${name} answers what it does not document: ${missing.join(', ')}`);
}

/** Paths of fields that parsing took away. */
function fieldsOnlyIn(told: unknown, parsed: unknown, path = ''): string[] {
  if (typeof told !== 'object' || told === null || typeof parsed !== 'object' || parsed === null) return [];
  return Object.entries(told).flatMap(([name, value]) => {
    const inner = `${path}.${name}`;
    return name in parsed ? fieldsOnlyIn(value, (parsed as Record<string, unknown>)[name], inner) : [inner];
  });
}
