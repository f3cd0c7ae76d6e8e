import { GatewayError } from '../foundation/errors.ts';
import { operation } from '../http/operation.ts';
import { readResponse } from '../reruns/read-response.ts';
import {
  fixtureCaseListSchema,
  fixtureCaseQuerySchema,
  fixtureCaseResponseSchema,
  fixtureCasesQuerySchema,
  fixtureMissListSchema,
  fixtureMissResponseSchema,
  fixtureStateResponseSchema,
  savedFixtureResponseSchema,
  saveFixtureRequestSchema,
  switchFixtureModeRequestSchema,
} from '../wire/fixtures.ts';
import { findFixtureLibrary, type FixtureParts, makeCase } from './make-fixture.ts';

/** `GET /admin/v1/fixtures` */
export const getFixtures = operation<FixtureParts>()({
  response: fixtureStateResponseSchema,
  errors: ['not_found'],
  run: async ({ parts }) => ({ data: await findFixtureLibrary(parts).describe() }),
});

/** `PATCH /admin/v1/fixtures`: switches whether calls go to providers, are recorded, or get recorded responses. */
export const switchFixtureMode = operation<FixtureParts>()({
  body: switchFixtureModeRequestSchema,
  response: fixtureStateResponseSchema,
  errors: ['conflict', 'not_found'],
  async run({ request, body: { mode }, parts, principal }) {
    const library = findFixtureLibrary(parts);
    if (library.switchTo === undefined) {
      const { fixed_because: reason } = await library.describe();
      throw new GatewayError('conflict', reason ?? 'The mode is fixed by how this gateway was started');
    }
    const data = await library.switchTo(mode);
    parts.logger.info('the mode of fixtures was switched', { requestId: request.id, mode, by: principal.name });
    return { data };
  },
});

/** `POST /admin/v1/fixtures`: makes a fixture of a stored generation. */
export const saveFixture = operation<FixtureParts>()({
  body: saveFixtureRequestSchema,
  response: savedFixtureResponseSchema,
  status: 201,
  errors: ['conflict', 'not_found'],
  async run({ principal, parts, body: { generation_id: id, scrub = false, hand_out: isHandedOut = false } }) {
    return { data: await makeCase(id, { isScrubbed: scrub, isHandedOut }, { principal, parts }) };
  },
});

/** `GET /admin/v1/fixtures/cases?set=&q=&use=&offset=&limit=` */
export const listFixtureCases = operation<FixtureParts>()({
  query: fixtureCasesQuerySchema,
  response: fixtureCaseListSchema,
  errors: ['not_found'],
  async run({ parts, query }) {
    const { rows, total } = await findFixtureLibrary(parts).listCases(query);
    return { data: rows, total_count: total };
  },
});

/** `GET /admin/v1/fixtures/case?path=` */
export const getFixtureCase = operation<FixtureParts>()({
  query: fixtureCaseQuerySchema,
  response: fixtureCaseResponseSchema,
  errors: ['not_found'],
  async run({ parts, query: { path } }) {
    const found = await findFixtureLibrary(parts).findCase(path);
    if (found === undefined) throw new GatewayError('not_found', `There is no fixture ${path.slice(0, 200)}`);
    const files = found.files.map((file) => ({ ...file, read: file.text === null ? null : readResponse(file.text) }));
    return { data: { ...found, files } };
  },
});

/** `GET /admin/v1/fixtures/misses` */
export const listFixtureMisses = operation<FixtureParts>()({
  response: fixtureMissListSchema,
  errors: ['not_found'],
  async run({ parts }) {
    const misses = await findFixtureLibrary(parts).listMisses();
    return { data: misses, total_count: misses.length };
  },
});

/** `GET /admin/v1/fixtures/misses/{id}` */
export const getFixtureMiss = operation<FixtureParts>()({
  params: ['id'],
  response: fixtureMissResponseSchema,
  async run({ params: { id }, parts }) {
    const miss = await findFixtureLibrary(parts).findMiss(id);
    if (miss === undefined) {
      throw new GatewayError(
        'not_found',
        `There is no unmatched request ${id.slice(0, 100)}; only the latest are kept`,
      );
    }
    return { data: miss };
  },
});

/** `POST /admin/v1/fixtures/misses/{id}/accept` */
export const acceptFixtureMiss = operation<FixtureParts>()({
  params: ['id'],
  response: savedFixtureResponseSchema,
  status: 201,
  errors: ['conflict'],
  async run({ params, parts }) {
    return { data: await findFixtureLibrary(parts).acceptMiss(params.id) };
  },
});
