import type { GatewayResponse } from '../response.ts';

let document: string | undefined;

/** `GET /openapi.json`. Made from the routes table when it is first asked for. */
export async function getOpenApi(): Promise<GatewayResponse> {
  // Imported late: it reads the table that lists this operation, and most processes never need it.
  const { createOpenApiDocument } = await import('../openapi.ts');
  document ??= JSON.stringify(createOpenApiDocument());
  return { status: 200, headers: { 'content-type': 'application/json' }, body: document };
}
