import type { Gateway, GatewayRequest, GatewayResponse } from '@model-gateway/core';

import { ROUTES } from '../../packages/core/src/api/routes.ts';
import { createRouter } from '../../packages/core/src/http/create-router.ts';

const router = createRouter(ROUTES);

/** The same gateway; it rejects where it would answer a request with JSON that its route does not document. */
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

/** Compares a success in JSON with the schema that documents it. Throws where they differ, in a field more as well. */
async function checkResponse(
  { method, path }: GatewayRequest,
  { status, headers, body }: GatewayResponse,
): Promise<void> {
  if (status >= 300 || headers['content-type'] !== 'application/json' || typeof body !== 'string') return;
  const operation = await router.match(method, path).route.load();
  const schema =
    'mediaTypes' in operation.response ? operation.response.mediaTypes['application/json'] : operation.response;
  const name = `${method} ${path}`;
  if (status !== operation.status) throw new Error(`${name} answers ${status}, and documents ${operation.status}`);
  if (schema == null) throw new Error(`${name} answers JSON, and documents none`);
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
