import type { Gateway, GatewayRequest, GatewayResponse } from '@model-gateway/core';

import { ROUTES } from '../../../packages/core/src/api/routes.ts';
import { createRouter } from '../../../packages/core/src/http/create-router.ts';
import type { MediaTypes } from '../../../packages/core/src/http/operation.ts';

const router = createRouter(ROUTES);

/** The same gateway; it rejects where it would respond with JSON that its route does not document. */
export function withCheckedResponses(gateway: Gateway): Gateway {
  return {
    ...gateway,
    async handle(request) {
      const response = await gateway.handle(request);
      await checkResponse(request, response);
      return response;
    },
  };
}

/**
 * Compares a success with what its route documents: the media type, and of JSON the schema. Throws where they differ,
 * by a field too many as well.
 */
async function checkResponse(
  { method, path }: GatewayRequest,
  { status, headers, body }: GatewayResponse,
): Promise<void> {
  if (status >= 300) return;
  const { response, status: documented } = await router.match(method, path).route.load();
  const mediaTypes: MediaTypes['mediaTypes'] =
    'mediaTypes' in response ? response.mediaTypes : { 'application/json': response };
  const type = headers['content-type']?.replace(/;.*/, '') ?? '';
  const name = `${method} ${path}`;
  const known = Object.keys(mediaTypes).find((one) => one === type || one === type.replace(/[^/]*$/, '*'));
  if (known === undefined) throw new Error(`${name} answers ${type}, and does not document it`);
  const schema = mediaTypes[known] ?? null;
  if (schema === null || typeof body !== 'string') return;
  if (status !== documented) throw new Error(`${name} answers ${status}, and documents ${documented}`);
  const told: unknown = JSON.parse(body);
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
