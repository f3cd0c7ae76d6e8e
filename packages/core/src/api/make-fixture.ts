import type { Awaitable } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import { findReadableGeneration } from '../generations/list-generations.ts';
import { scrub } from '../guardrails/filters/scrub.ts';
import type { Principal } from '../http/request.ts';
import type { Store, StoredContent } from '../stores/store.ts';
import type {
  FixtureCaseDetail,
  FixtureCaseRow,
  FixtureCasesQuery,
  FixtureMissDetail,
  FixtureMissRow,
  FixtureMode,
  FixtureState,
  FixtureSuite,
  SavedFixture,
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
export function findFixtureLibrary({ fixtures }: Pick<FixtureParts, 'fixtures'>): FixtureLibrary {
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
  /** A suite that runs the cases of a folder, as a file beside it. Absent where there is none. */
  toSuite?(
    suite: FixtureSuite,
    folder: string,
  ): Awaitable<{ readonly name: string; readonly text: string; readonly run: string }>;
}

interface CaseContext {
  readonly principal: Principal;
  readonly parts: FixtureParts;
}

interface CaseOptions {
  /** Takes secrets and personal data out. */
  readonly isScrubbed: boolean;
  /** It is returned, and not written. */
  readonly isHandedOut: boolean;
}

/** Makes a case of a generation. Throws why there is none: `not_found`, `conflict` or `invalid_request`. */
export async function makeCase(
  id: string,
  { isScrubbed, isHandedOut }: CaseOptions,
  { principal, parts }: CaseContext,
): Promise<SavedFixture> {
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
    return library.save({ generation, content, exchange }, isHandedOut);
  }
  // Before it is encoded: a stream of words may have a private one in several pieces.
  const { value: said, count } = scrub(withoutRepeats(content));
  const value = withExpanded(said, content);
  const labels = { user_agent: null, external_user: null, session_id: null };
  const clean = { ...generation, ...labels };
  const exchange = toStoredExchange(clean, value);
  const saved = await library.save({ generation: clean, content: value, exchange }, isHandedOut);
  return { ...saved, scrubbed: count };
}

/** What a case is made of: the rest of the request repeats it, and would be counted again. */
function withoutRepeats(content: StoredContent): StoredContent {
  const { request, response: _response, callTimeline: _call, timeline: _stream, ...said } = content;
  if (request === undefined) return said;
  const { expanded: _expanded, ...own } = request;
  return { ...said, input: { messages: [] }, request: { ...own, attempts: [] } };
}

/** The content with what its preset and its stored prompt have added, by which its response is written. */
function withExpanded(content: StoredContent, { request: whole }: StoredContent): StoredContent {
  const { request } = content;
  if (request === undefined || whole?.expanded === undefined) return content;
  return { ...content, request: { ...request, expanded: scrub(whole.expanded).value } };
}
