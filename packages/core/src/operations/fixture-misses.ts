import type { RequestContext } from '../context.ts';
import { GatewayError } from '../errors.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';
import { findFixtureLibrary } from './fixtures.ts';

/** `GET /admin/v1/fixtures/misses` */
export async function listFixtureMisses(context: RequestContext): Promise<GatewayResponse> {
  const misses = findFixtureLibrary(context).listMisses();
  return toJsonResponse(200, { data: misses, total_count: misses.length });
}

/** `GET /admin/v1/fixtures/misses/{id}` */
export async function getFixtureMiss(context: RequestContext): Promise<GatewayResponse> {
  const id = context.params['id'] ?? '';
  const miss = findFixtureLibrary(context).findMiss(id);
  if (miss === undefined) {
    throw new GatewayError('not_found', `There is no miss ${id.slice(0, 100)}; only the latest are kept`);
  }
  return toJsonResponse(200, { data: miss });
}

/** `POST /admin/v1/fixtures/misses/{id}/accept` */
export async function acceptFixtureMiss(context: RequestContext): Promise<GatewayResponse> {
  const accepted = await findFixtureLibrary(context).acceptMiss(context.params['id'] ?? '');
  return toJsonResponse(201, { data: accepted });
}
