import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

type PublicContext = Pick<RequestContext, 'request' | 'runtime'>;

/** `GET /health`: the process answers. `degraded` means that generations could not be recorded of late. */
export async function getHealth({ runtime: { counters } }: PublicContext): Promise<GatewayResponse> {
  return toJsonResponse(200, { status: counters.recordFailures === 0 ? 'ok' : 'degraded' });
}

/** `GET /ready`: new calls are taken. While the gateway closes, the answer to everything is 503 already. */
export async function getReady(): Promise<GatewayResponse> {
  return toJsonResponse(200, { status: 'ready' });
}
