import type { RequestContext } from '../context.ts';
import { GatewayError } from '../errors.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';
import { fixtureCaseQuerySchema, fixtureCasesQuerySchema } from '../schemas/fixture-library.ts';
import { readQuery } from '../schemas/page-query.ts';

/** The host's fixtures. Throws `not_found` where it has none to tell of. */
export function findFixtureLibrary({
  runtime,
}: Pick<RequestContext, 'runtime'>): NonNullable<RequestContext['runtime']['fixtures']> {
  if (runtime.fixtures !== undefined) return runtime.fixtures;
  throw new GatewayError(
    'not_found',
    'This gateway has no fixtures: start one that has with "model-gateway serve --fixtures DIR" or "--record DIR", ' +
      'or give createGateway the option "fixtures"',
  );
}

/** `GET /admin/v1/fixtures` */
export async function getFixtures(context: RequestContext): Promise<GatewayResponse> {
  return toJsonResponse(200, { data: findFixtureLibrary(context).describe() });
}

/** `GET /admin/v1/fixtures/cases?set=&q=&use=&offset=&limit=` */
export async function listFixtureCases(context: RequestContext): Promise<GatewayResponse> {
  const query = readQuery(fixtureCasesQuerySchema, context.request.query);
  const { rows, total } = findFixtureLibrary(context).listCases(query);
  return toJsonResponse(200, { data: rows, total_count: total });
}

/** `GET /admin/v1/fixtures/case?path=` */
export async function getFixtureCase(context: RequestContext): Promise<GatewayResponse> {
  const { path } = readQuery(fixtureCaseQuerySchema, context.request.query);
  const found = findFixtureLibrary(context).findCase(path);
  if (found === undefined) throw new GatewayError('not_found', `There is no fixture ${path.slice(0, 200)}`);
  return toJsonResponse(200, { data: found });
}
