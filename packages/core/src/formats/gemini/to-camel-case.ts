import { isRecord } from '../../foundation/parse.ts';

/** Members whose content is the caller's, or a schema: their names stay as they are. */
const OPAQUE: ReadonlySet<string> = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
  'labels',
  'partMetadata',
]);

/** Fields of a body. Any other is left as it is: the gateway's own have names with lines between the words. */
const FIELDS: ReadonlySet<string> = new Set([
  'systemInstruction',
  'toolConfig',
  'safetySettings',
  'generationConfig',
  'cachedContent',
  'serviceTier',
  'generateContentRequest',
  'taskType',
  'outputDimensionality',
]);

/** Fields of the gateway, with their names in chat completions. */
export const OWN_FIELDS: readonly string[] = [
  ['models', 'provider', 'plugins', 'route', 'preset', 'transforms', 'debug', 'trace', 'user', 'session_id'],
  ['metadata', 'stop_server_tools_when'],
].flat();

/**
 * Gives the fields of a body the names that they have in JSON: Google takes those of its protocol (`system_instruction`),
 * too, as many examples have them. The same object where it has these already.
 */
export function toCamelCase(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return renameMembers(body, true);
}

function renameAll(value: unknown): unknown {
  if (Array.isArray(value)) {
    let renamed: unknown[] | undefined;
    for (const [index, item] of value.entries()) {
      const changed = renameAll(item);
      if (changed !== item) (renamed ??= [...(value as unknown[])])[index] = changed;
    }
    return renamed ?? value;
  }
  return isRecord(value) ? renameMembers(value, false) : value;
}

function renameMembers(value: Readonly<Record<string, unknown>>, isBody: boolean): Readonly<Record<string, unknown>> {
  let entries: [string, unknown][] | undefined;
  let index = 0;
  for (const name of Object.keys(value)) {
    const other = name.includes('_') ? name.replace(/_([a-z\d])/g, (_, first: string) => first.toUpperCase()) : name;
    const renamed = isBody && !FIELDS.has(other) ? name : other;
    const member = value[name];
    const changed = OPAQUE.has(renamed) || (isBody && OWN_FIELDS.includes(name)) ? member : renameAll(member);
    if (renamed !== name || changed !== member) (entries ??= Object.entries(value))[index] = [renamed, changed];
    index += 1;
  }
  return entries === undefined ? value : Object.fromEntries(entries);
}
