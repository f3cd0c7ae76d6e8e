import type { CatalogModel } from '../../../catalog/catalog.ts';
import type { Awaitable } from '../../../foundation/awaitable.ts';
import { suggestName } from '../../../foundation/nearest-name.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { refuseField } from '../../../wire/fields.ts';

/** The result of a tool call. */
export interface ToolResult {
  /** Result for the model: text, often JSON. */
  readonly content: string;
  /** Sources for the caller, as annotations of the completion (wire.md 6.5). */
  readonly annotations?: readonly unknown[] | undefined;
  /** Facts for the record, when the tool has searched the web. */
  readonly search?: { readonly engine: string; readonly results: number } | undefined;
}

/** The parts that every tool receives. */
export interface ToolContext {
  readonly platform: Platform;
  /** The models on offer. */
  readonly models: () => readonly CatalogModel[];
}

/** A tool as one request uses it; its state lasts as long as the request. */
export interface OpenTool {
  /**
   * Runs one call by the model. `input` is an object, otherwise not checked. An exception is reported to the model and
   * never ends the request: a `ToolFailure` with its message, any other without details.
   */
  run(input: Readonly<Record<string, unknown>>, signal: AbortSignal): Awaitable<ToolResult>;
}

/**
 * A tool that the gateway runs itself (wire.md 10): a caller enables it by `service:<name>`, the model calls it like
 * any function, and its result is sent back to the model. To add one, pass it to `createGateway` in `serverTools`.
 */
export interface ServerTool {
  /** Lower-case letters, digits and underscores: `web_search`. */
  readonly name: string;
  /** Description for the model: what the tool does, and when to use it. */
  readonly description: string;
  /** JSON Schema of what the model passes. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Prepares the tool for one request. Throws a zod error or `invalid_request` for invalid `parameters`. */
  open(parameters: Readonly<Record<string, unknown>>, context: ToolContext): OpenTool;
}

/** The failure of a tool call, with a message for the model. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}

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
    const nearest = suggestName(name, written);
    const hint = nearest === undefined ? `they are ${written.join(', ')}` : `the nearest is "${nearest}"`;
    throw refuseField(`${path}.${index}`, `"${name}" is not a server tool; ${hint}`);
  }
}
