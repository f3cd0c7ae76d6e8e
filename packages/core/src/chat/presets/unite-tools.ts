import { isRecord } from '../../foundation/parse.ts';

/** Tools of which a request may have several, told apart by the name in their parameters. */
const NAMED: readonly string[] = ['advisor', 'subagent'];

/**
 * The tools of a preset and those of a request: in the order of the preset, where the request's own version of a tool
 * takes the place of the preset's, and then what the request alone has. Functions are the same by their name, server
 * tools by their type. What is no list in the request is returned as it is, for its schema to refuse.
 */
export function uniteTools(ofPreset: unknown, ofRequest: unknown): unknown {
  if (!Array.isArray(ofPreset) || ofPreset.length === 0) return ofRequest;
  if (ofRequest === undefined || ofRequest === null) return ofPreset;
  if (!Array.isArray(ofRequest)) return ofRequest;
  const own = (ofRequest as unknown[]).map((tool) => ({ tool, identity: toIdentity(tool) }));
  const placed = new Set<string>();
  const first = (ofPreset as unknown[]).flatMap((tool) => {
    const identity = toIdentity(tool);
    if (placed.has(identity)) return [];
    const instead = own.filter((one) => one.identity === identity).map((one) => one.tool);
    if (instead.length === 0) return [tool];
    placed.add(identity);
    return instead;
  });
  return [...first, ...own.filter(({ identity }) => !placed.has(identity)).map(({ tool }) => tool)];
}

/** Both prefixes name the same tools. */
const PREFIX = /^(?:openrouter|service):/;

function toIdentity(tool: unknown): string {
  if (!isRecord(tool)) return '';
  const { type, name, function: called, parameters } = tool;
  if (isRecord(called)) return `function ${String(called['name'])}`;
  const isFunction = type === undefined || type === null || type === 'function' || type === 'custom';
  if (isFunction) return `function ${String(name)}`;
  const kind = typeof type === 'string' ? type.replace(PREFIX, '') : '';
  const named = NAMED.includes(kind) && isRecord(parameters) ? parameters['name'] : undefined;
  return typeof named === 'string' ? `${kind} ${named}` : kind;
}
