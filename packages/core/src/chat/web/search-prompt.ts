import { clipText, type SearchResult } from './web-access.ts';

/** Results of a search that are added to a prompt, unless the request says how many. */
export const DEFAULT_RESULTS = 5;
/** The most that a request may ask for. */
export const MAX_RESULTS = 25;

const MAX_TITLE_CHARACTERS = 300;
/** A result with a longer one is left out: a link that is cut leads nowhere. */
export const MAX_URL_CHARACTERS = 500;
export const MAX_SNIPPET_CHARACTERS = 1000;
const MAX_BYTES_A_CHARACTER = 3;
/** The introduction, and what separates the parts of a result. */
const BYTES_OF_INTRODUCTION = 400;
const BYTES_BETWEEN = 4;

/** The message with which the results of a search are added to a prompt. `introduction`: in place of the usual one. */
export function toSearchPrompt(
  results: readonly SearchResult[],
  { introduction, now }: { readonly introduction: string | null | undefined; readonly now: number },
): string {
  const today = new Date(now).toISOString().slice(0, 10);
  const before =
    introduction ??
    `These results of a web search were found on ${today}. Use what bears on the question, and give your sources as ` +
      'Markdown links, each named by its domain, such as [example.com](https://example.com/page).';
  const listed = results.map(({ url, title, snippet }) =>
    [clipText(title, MAX_TITLE_CHARACTERS), url, clipText(snippet, MAX_SNIPPET_CHARACTERS)].join('\n'),
  );
  return [before, ...listed].join('\n\n');
}

/**
 * The most tokens that the results of a search add to a prompt, because a token is at least one byte. An introduction of
 * the request's own is counted with the request.
 */
export function mostTokensOfSearch(maxResults: unknown): number {
  const results = typeof maxResults === 'number' ? Math.min(maxResults, MAX_RESULTS) : DEFAULT_RESULTS;
  const characters = MAX_TITLE_CHARACTERS + MAX_URL_CHARACTERS + MAX_SNIPPET_CHARACTERS;
  return BYTES_OF_INTRODUCTION + results * (characters * MAX_BYTES_A_CHARACTER + BYTES_BETWEEN);
}
