import { configSchema } from '../../../packages/node/src/config/config-schema.ts';
import { placeOf, type Snippet } from './read-snippets.ts';

const SECTIONS: ReadonlySet<string> = new Set(Object.keys(configSchema.shape));

/** What is wrong with a snippet of JSON: that it is none, or that no config file may hold it, where it belongs into one. */
export function checkJson(snippet: Snippet): string[] {
  const text = bare(snippet.code);
  const values = toValues(text);
  const members = parse(`{${text}}`);
  if (values === undefined && members === undefined) return [`${placeOf(snippet)}: is not JSON`];
  const inside = values?.map((value) => JSON.stringify(value)).join() ?? text;
  const config =
    snippet.config === undefined ? (values?.[0] ?? members) : parse(snippet.config.replace('…', () => inside));
  if (config === undefined) return [`${placeOf(snippet)}: does not fit into ${snippet.config ?? 'a config file'}`];
  if (snippet.config === undefined && !isConfig(config)) return [];
  const { error } = configSchema.safeParse(config);
  return (error?.issues ?? []).map(({ path, message }) => `${placeOf(snippet)}: ${path.join('.')}: ${message}`);
}

/** Whether all its members are sections of a config file. */
const isConfig = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).every((name) => SECTIONS.has(name));

/** One value, or one a line. */
function toValues(text: string): readonly unknown[] | undefined {
  const value = parse(text);
  if (value !== undefined) return [value];
  const lines = text.trim().split('\n').map(parse);
  return lines.includes(undefined) ? undefined : lines;
}

/** Without comments, none of which stands in a text of the pages, but for `//` in addresses. */
const bare = (code: string): string => code.replaceAll(/(^|\s)\/\/ .*$/gm, '$1').trimEnd();

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
