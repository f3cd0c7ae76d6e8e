import { type ConfigIssue, toPathText } from './config-error.ts';

/** Every place where a secret may stand, and so `env:NAME` is understood; `*` is any entry. */
const SECRET_PLACES: readonly (readonly string[])[] = [
  ['auth', 'bootstrapKeys', '*', 'key'],
  ['store', 'url'],
  ['shared', 'url'],
  ['webhooks', 'signingSecret'],
  ['webhooks', 'previousSigningSecret'],
  ['webSearch', 'apiKey'],
  ['providers', '*', 'apiKey'],
  ['providers', '*', 'headers', '*'],
];

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads an environment variable; unset, empty and blank are the same: undefined. */
export function readVariable(env: Environment, name: string): string | undefined {
  // A value read from a file often ends in a line break, which no key contains.
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

/**
 * Replaces each `env:NAME` by the variable's value. What cannot be resolved stays as it is and is reported by its
 * field and the variable's name; values are never part of a message.
 */
export function resolveSecrets(tree: unknown, env: Environment): { tree: unknown; issues: ConfigIssue[] } {
  const issues: ConfigIssue[] = [];
  const resolveAt = (node: unknown, place: readonly string[], path: readonly PropertyKey[]): unknown => {
    const [key, ...rest] = place;
    if (key === undefined) return resolveText(node, path);
    if (Array.isArray(node)) {
      return key === '*' ? node.map((item, index) => resolveAt(item, rest, [...path, index])) : node;
    }
    if (typeof node !== 'object' || node === null) return node;
    const entries = Object.entries(node).map(([name, value]) =>
      key === '*' || key === name ? [name, resolveAt(value, rest, [...path, name])] : [name, value],
    );
    return Object.fromEntries(entries);
  };
  const resolveText = (node: unknown, path: readonly PropertyKey[]): unknown => {
    if (typeof node !== 'string' || !node.startsWith('env:')) return node;
    const name = node.slice('env:'.length);
    const value = readVariable(env, name);
    if (value !== undefined) return value;
    const message = /^[A-Za-z_]\w*$/.test(name)
      ? `the environment variable ${name} is not set (or empty). Set it, or write the value here`
      : 'after "env:" comes the name of an environment variable, e.g. "env:OPENAI_API_KEY"';
    issues.push({ path: toPathText(path), message });
    return node;
  };
  return { tree: SECRET_PLACES.reduce((node, place) => resolveAt(node, place, []), tree), issues };
}
