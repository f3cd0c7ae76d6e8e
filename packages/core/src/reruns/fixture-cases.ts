import type { Awaitable } from '../foundation/awaitable.ts';
import { isRecord } from '../foundation/parse.ts';
import { refuseField } from '../wire/fields.ts';
import type { FixtureCaseDetail, FixtureCasesQuery } from '../wire/fixtures.ts';
import type { RerunFixtureCase, RerunSet, UploadedItem } from '../wire/reruns.ts';
import type { FormatName } from '../wire/routing-rules.ts';
import { readResponse } from './read-response.ts';

export interface OwnCaseParts {
  /** The fixtures of the host, where it has some. */
  readonly fixtures:
    | {
        listCases(query: FixtureCasesQuery): Awaitable<{ readonly rows: readonly { readonly path: string }[] }>;
        findCase(path: string): Awaitable<FixtureCaseDetail | undefined>;
      }
    | undefined;
}

/** The formats of chats by the operation of a case. */
const FORMATS: Readonly<Record<string, FormatName>> = {
  'chat-completions': 'chat',
  messages: 'messages',
  responses: 'responses',
  completions: 'completions',
  'api-chat': 'ollama-chat',
  'api-generate': 'ollama-generate',
  'generate-content': 'gemini',
};

/**
 * The chats among cases of fixtures as requests with their completions, in the order of their paths, so that the same
 * cases are always the same set. A response that is an error, or says nothing, is no completion.
 */
export function toUploadedCases(cases: readonly RerunFixtureCase[]): UploadedItem[] {
  return cases
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .flatMap(({ path, request: body, response }) => {
      const format = FORMATS[path.split('/').at(-2) ?? ''];
      if (format === undefined) return [];
      const read = response === null ? null : readResponse(response);
      if (read === null || read.error !== null) return [{ request: { format, body } }];
      const text = read.text === '' ? null : read.text;
      return [{ request: { format, body }, completion: { text, tool_calls: [...read.calls] } }];
    });
}

const PAGE_SIZE = 200;

/** The cases of the host's own fixtures. Throws `invalid_request` where it has none. */
export async function listOwnCases(
  query: Extract<RerunSet, { fixtures: unknown }>['fixtures'],
  { fixtures }: OwnCaseParts,
): Promise<RerunFixtureCase[]> {
  if (fixtures === undefined) throw refuseField('set.fixtures', 'this gateway has no fixtures');
  const cases: RerunFixtureCase[] = [];
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const { rows } = await fixtures.listCases({ ...query, offset, limit: PAGE_SIZE });
    for (const { path } of rows) {
      const found = await fixtures.findCase(path);
      if (found === undefined || !isRecord(found.request)) continue;
      cases.push({ path, request: found.request, response: found.files[0]?.text ?? null });
    }
    if (rows.length < PAGE_SIZE) return cases;
  }
}
