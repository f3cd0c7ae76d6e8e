import { findNearestName } from '../../../foundation/nearest-name.ts';
import { refuseField } from '../../../wire/fields.ts';
import type { ServerTool } from './server-tool.ts';

/** Forms without a prefix that stand for the web search (wire.md 6.3), and names that are only tried out. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['web_search_preview', 'web_search'],
  ['web_search_preview_2025_03_11', 'web_search'],
  ['web_search_2025_08_26', 'web_search'],
  ['experimental__search_models', 'search_models'],
]);
const PREFIX = /^(service|openrouter):/;

/** The one name of a server tool that a request, or a setting, may write in several ways. */
export function toToolName(type: string): string {
  const name = type.replace(PREFIX, '');
  return ALIASES.get(name) ?? name;
}

/** The server tools of the public API, of which this gateway has some. */
const PUBLIC_TOOLS = [
  'advisor',
  'apply_patch',
  'bash',
  'datetime',
  'experimental__search_models',
  'fusion',
  'image_generation',
  'search_models',
  'shell',
  'subagent',
  'tool_search',
  'web_fetch',
  'web_search',
];

interface KnownTools {
  readonly serverTools: readonly Pick<ServerTool, 'name'>[];
  /** False for names that may be unknown. */
  readonly isChecked: (name: string) => boolean;
}

/**
 * Throws `invalid_request` for the first name that neither a tool of this gateway nor one of the public API has: a rule
 * with a misspelt name would guard nothing.
 */
export function refuseUnknownTools(
  path: string,
  names: readonly string[],
  { serverTools, isChecked }: KnownTools,
): void {
  const own = serverTools.map(({ name }) => name);
  const known = new Set([...PUBLIC_TOOLS, ...own].map(toToolName));
  for (const [index, name] of names.entries()) {
    if (known.has(toToolName(name)) || !isChecked(name)) continue;
    const written = [...PUBLIC_TOOLS, ...own].map((tool) => `openrouter:${tool}`);
    const nearest = findNearestName(name, written);
    throw refuseField(`${path}.${index}`, `"${name}" is no server tool; the nearest is "${nearest}"`);
  }
}
