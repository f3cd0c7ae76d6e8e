import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * A fenced block of a page. Comments of HTML before it, which no reader sees, name its context:
 *
 * - `<!-- from FILE -->`: it is a part of that file, which is run elsewhere
 * - `<!-- at FILE -->`: it is that file, in the place where the page says to put it
 * - `<!-- into FILE after: TEXT -->`: it is inserted there, below the first line with this text; `instead of: TEXT`: in
 *   the place of that line
 * - `<!-- given: CODE -->`: declarations and imports that stand above it in the application of the reader
 * - `<!-- config: JSON -->`: it stands in a config file, at the place of `…`
 */
export interface Snippet {
  /** Relative to the root of the repository. */
  readonly page: string;
  /** Of its first line. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  readonly from: string | undefined;
  readonly at: string | undefined;
  readonly into: { readonly file: string; readonly replaces: boolean; readonly text: string } | undefined;
  readonly given: string;
  readonly config: string | undefined;
}

const FENCE = /((?:<!--(?:(?!-->)[^])*-->\s*)*)^( *)```(\w*)[^\n]*\n([^]*?)^\2```$/gm;
const MARK = /<!--\s*(from|at|into|given|config):?\s+((?:(?!-->)[^])*?)\s*-->/g;

export const PAGES: readonly string[] = globSync(
  ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/**/*.md', 'packages/*/README.md', 'examples/*/README.md'],
  { cwd: root },
)
  .map((file) => file.replaceAll('\\', '/'))
  .toSorted();

/** Every fenced block of the pages for users and developers. */
export const readSnippets = (): readonly Snippet[] =>
  PAGES.flatMap((page) => findSnippets(page, readFileSync(root + page, 'utf8')));

export function findSnippets(page: string, text: string): Snippet[] {
  return [...text.matchAll(FENCE)].map((match) => {
    const [all, before = '', indent = '', language = '', indented = ''] = match;
    const marks = new Map([...before.matchAll(MARK)].map(([, name = '', value = '']) => [name, value]));
    const [, file = '', where = '', beside = ''] =
      /^(\S+) (after|instead of): (.+)$/.exec(marks.get('into') ?? '') ?? [];
    // The first line of the fence ends where the code begins.
    const start = match.index + all.length - indented.length - indent.length - '```'.length;
    return {
      page,
      line: text.slice(0, start).split('\n').length,
      language,
      code: indented.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      from: marks.get('from'),
      at: marks.get('at'),
      into: file === '' ? undefined : { file, replaces: where !== 'after', text: beside },
      given: marks.get('given') ?? '',
      config: marks.get('config'),
    };
  });
}

export const placeOf = ({ page, line }: Snippet): string => `${page}:${line}`;
