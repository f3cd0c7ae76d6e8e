import type { Awaitable } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import { findReadableGeneration } from '../generations/list-generations.ts';
import { scrub } from '../guardrails/filters/scrub.ts';
import { operation } from '../http/operation.ts';
import type { Store, StoredContent } from '../stores/store.ts';
import {
  type FixtureCaseDetail,
  fixtureCaseListSchema,
  fixtureCaseQuerySchema,
  fixtureCaseResponseSchema,
  type FixtureCaseRow,
  type FixtureCasesQuery,
  fixtureCasesQuerySchema,
  type FixtureMissDetail,
  fixtureMissListSchema,
  fixtureMissResponseSchema,
  type FixtureMissRow,
  type FixtureMode,
  type FixtureState,
  fixtureStateResponseSchema,
  type SavedFixture,
  savedFixtureResponseSchema,
  saveFixtureRequestSchema,
  switchFixtureModeRequestSchema,
} from '../wire/fixtures.ts';
import type { Generation } from '../wire/generation.ts';
import { type StoredExchange, toStoredExchange } from './stored-response.ts';

export interface FixtureParts {
  readonly store: Pick<Store, 'generations' | 'keys'>;
  /** Undefined where the host has none. */
  readonly fixtures: FixtureLibrary | undefined;
  readonly logger: Logger;
}

/** Returns the fixtures of the host. Throws `not_found` where the host has none. */
function findFixtureLibrary({ fixtures }: Pick<FixtureParts, 'fixtures'>): FixtureLibrary {
  if (fixtures !== undefined) return fixtures;
  throw new GatewayError(
    'not_found',
    'This gateway has no fixtures: start one that has with "model-gateway serve --fixtures DIR" or "--record DIR", ' +
      'or give createGateway the option "fixtures"',
  );
}

/** A generation as it is stored, from which a case is made. */
export interface StoredGeneration {
  readonly generation: Generation;
  readonly content: StoredContent;
  /** Its request and response in the form of its route; null where only the prompt is stored. */
  readonly exchange: StoredExchange | null;
}

export interface FixtureCasePage {
  readonly rows: readonly FixtureCaseRow[];
  readonly total: number;
}

/** The host's fixtures, for the management API alone; rows have the shape that is sent over the wire. */
export interface FixtureLibrary {
  describe(): Awaitable<FixtureState>;
  /**
   * Switches what becomes of calls from now on; those under way go on as they began. Throws `conflict` where that cannot
   * be. Absent where it never can.
   */
  switchTo?(mode: FixtureMode): Awaitable<FixtureState>;
  /** Cases by path, with how many the query leaves in all. */
  listCases(query: FixtureCasesQuery): Awaitable<FixtureCasePage>;
  findCase(path: string): Awaitable<FixtureCaseDetail | undefined>;
  /** The latest requests that no case matched, newest first; a bounded number. */
  listMisses(): Awaitable<readonly FixtureMissRow[]>;
  findMiss(id: string): Awaitable<FixtureMissDetail | undefined>;
  /**
   * Makes a case that responds to a miss as its nearest case would. Throws `not_found` for a miss that is no longer
   * held, `conflict` where no case can be made.
   */
  acceptMiss(id: string): Awaitable<SavedFixture>;
  /**
   * Makes a case of a chat completion. It holds no secret of the configuration. `isHandedOut`: it is returned, and not
   * written.
   */
  save(stored: StoredGeneration, isHandedOut: boolean): Awaitable<SavedFixture>;
}

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
  async run({ body: { mode }, parts, principal }) {
    const library = findFixtureLibrary(parts);
    if (library.switchTo === undefined) {
      const { fixed_because: reason } = await library.describe();
      throw new GatewayError('conflict', reason ?? 'The mode is fixed by how this gateway was started');
    }
    const data = await library.switchTo(mode);
    parts.logger.info('the mode of fixtures was switched', { mode, by: principal.name });
    return { data };
  },
});

/** `POST /admin/v1/fixtures`: makes a fixture of a stored generation. */
export const saveFixture = operation<FixtureParts>()({
  body: saveFixtureRequestSchema,
  response: savedFixtureResponseSchema,
  status: 201,
  errors: ['conflict', 'not_found'],
  async run({
    principal,
    parts,
    body: { generation_id: id, scrub: isScrubbed = false, hand_out: isHandedOut = false },
  }) {
    const library = findFixtureLibrary(parts);
    const { generation } = await findReadableGeneration(id, { principal, parts });
    if (generation.api_type !== 'completions') {
      throw new GatewayError(
        'invalid_request',
        `generation_id: ${id} is a video; only chat completions can be saved. Record videos with --record`,
      );
    }
    const content = await parts.store.generations.getContent(id);
    if (content === undefined) {
      throw new GatewayError(
        'not_found',
        `No content is stored for generation ${id}, so there is nothing to replay; see logging.inputOutput`,
      );
    }
    const brokeOff = content.error !== null && content.output.completion !== null;
    if (brokeOff || generation.cancelled === true) {
      throw new GatewayError('conflict', `The response of ${id} is incomplete; as a fixture it would look complete`);
    }
    if (!isScrubbed) {
      const exchange = toStoredExchange(generation, content);
      return { data: await library.save({ generation, content, exchange }, isHandedOut) };
    }
    // Before it is encoded: a stream of words may have a private one in several pieces.
    const { value, count } = scrub(withoutRepeats(content));
    const labels = { user_agent: null, external_user: null, session_id: null };
    const clean = { ...generation, ...labels };
    const exchange = toStoredExchange(clean, value);
    const saved = await library.save({ generation: clean, content: value, exchange }, isHandedOut);
    return { data: { ...saved, scrubbed: count } };
  },
});

/** What a case is made of: the rest of the request repeats it, and would be counted again. */
function withoutRepeats(content: StoredContent): StoredContent {
  const { request, response: _response, callTimeline: _call, timeline: _stream, ...said } = content;
  if (request === undefined) return said;
  return { ...said, input: { messages: [] }, request: { ...request, attempts: [] } };
}

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
    return { data: found };
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
