import { GatewayError, toGatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import { nextTurn } from '../foundation/queues.ts';
import { writeZip, type ZipEntry } from '../foundation/zip.ts';
import {
  type GenerationListParts,
  type GenerationSearch,
  listGenerations,
  toGenerationFilter,
} from '../generations/list-generations.ts';
import { operation } from '../http/operation.ts';
import type { Principal } from '../http/request.ts';
import type { Provider } from '../providers/provider.ts';
import { exportFixturesQuerySchema, type FixtureSuite, type SavedFixture } from '../wire/fixtures.ts';
import { toFixtureQuestion } from './fixture-question.ts';
import { findFixtureLibrary, type FixtureParts, makeCase } from './make-fixture.ts';

type FixtureExportParts = FixtureParts &
  GenerationListParts & { readonly platform: Platform; readonly providers: readonly Provider[] };

/** The folder of the cases in the archive. */
const FOLDER = 'fixtures';

/** `GET /admin/v1/fixtures/export`: cases of many generations without what is private, with a suite that runs them. */
export const exportFixtures = operation<FixtureExportParts>()({
  query: exportFixturesQuerySchema,
  response: { mediaTypes: { 'application/zip': null } },
  responseHeaders: { 'content-disposition': 'The name of the file', 'cache-control': '`no-store`' },
  errors: ['conflict', 'not_found'],
  async run({ principal, parts, request, query: { ids, last, suite, text, ...query } }) {
    findFixtureLibrary(parts);
    const search = { filter: toGenerationFilter(query, parts), text, limit: last };
    const calls = ids === undefined ? await listIds(search, parts) : [...new Set(ids.split(','))].slice(0, last);
    if (calls.length === 0) throw new GatewayError('not_found', 'No call matches');
    const { signal } = request;
    const cases = makeCases(calls, { principal, parts, signal });
    const begun = await begin(cases);
    return {
      status: 200,
      headers: {
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${FOLDER}.zip"`,
        'cache-control': 'no-store',
      },
      body: writeZip(toEntries(begun, { suite, parts })),
    };
  },
});

async function listIds(search: GenerationSearch, parts: FixtureExportParts): Promise<string[]> {
  const ids: string[] = [];
  let before: string | undefined;
  do {
    const page = await listGenerations({ ...search, limit: Math.min(200, search.limit - ids.length), before }, parts);
    ids.push(...page.records.map(({ generation }) => generation.id));
    before = page.next ?? undefined;
  } while (before !== undefined && ids.length < search.limit);
  return ids;
}

/** A case, or why there is none of a call. */
type Made = { readonly id: string } & ({ readonly saved: SavedFixture } | { readonly reason: string });

interface MakeContext {
  readonly principal: Principal;
  readonly parts: FixtureExportParts;
  /** Fires when the reader has gone. */
  readonly signal: AbortSignal;
}

async function* makeCases(ids: readonly string[], { principal, parts, signal }: MakeContext): AsyncGenerator<Made> {
  const seen = new Map<string, string>();
  for (const id of ids) {
    if (signal.aborted) return;
    // To scrub a long conversation takes a while.
    await nextTurn(parts.platform);
    try {
      const saved = await makeCase(id, { isScrubbed: true, isHandedOut: true }, { principal, parts });
      const question = toFixtureQuestion(saved);
      const same = seen.get(question);
      if (same === undefined) yield { id, saved };
      else yield { id, reason: `same request as the later ${same}; skipped` };
      seen.set(question, same ?? id);
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (error.code === 'internal') throw thrown;
      yield { id, reason: error.message };
    }
  }
}

/** All that is made, once there is a case. Throws `conflict` where there is none. */
async function begin(cases: AsyncGenerator<Made>): Promise<AsyncIterable<Made>> {
  const refused: Made[] = [];
  for (;;) {
    const { value, done } = await cases.next();
    if (done === true) {
      const [first] = refused;
      const why = first !== undefined && 'reason' in first ? `: ${first.reason}` : '';
      throw new GatewayError('conflict', `No fixture can be made of these calls${why}`);
    }
    if ('reason' in value) {
      refused.push(value);
      continue;
    }
    return (async function* all() {
      yield* refused;
      yield value;
      yield* cases;
    })();
  }
}

interface EntryContext {
  readonly suite: FixtureSuite | undefined;
  readonly parts: FixtureParts;
}

/** The files of the cases, the suite beside their folder, and what there is to say of them. */
async function* toEntries(cases: AsyncIterable<Made>, { suite, parts }: EntryContext): AsyncGenerator<ZipEntry> {
  const refused: string[] = [];
  let made = 0;
  let scrubbed = 0;
  for await (const one of cases) {
    if ('reason' in one) {
      refused.push(`${one.id}: ${one.reason}`);
      continue;
    }
    made += 1;
    scrubbed += one.saved.scrubbed ?? 0;
    for (const { name, text } of one.saved.files) {
      yield { name: `${FOLDER}/${one.saved.path}/${name.slice(name.lastIndexOf('/') + 1)}`, text };
    }
  }
  const file = suite && (await findFixtureLibrary(parts).toSuite?.(suite, FOLDER));
  if (file !== undefined) yield { name: file.name, text: file.text };
  const lines = [
    `${made} of ${made + refused.length} calls are cases now.`,
    `Secrets and personal details that were replaced: ${scrubbed}. Read the cases before you share them.`,
    ...(file === undefined ? [] : [`${file.name} runs them, beside an installed model-gateway: ${file.run}`]),
    ...(refused.length === 0 ? [] : ['', 'Of these there is none:', ...refused]),
  ];
  yield { name: 'README.txt', text: `${lines.join('\n')}\n` };
}
