import { suggestName } from '@model-gateway/core';
import * as z from '@model-gateway/core/foundation/zod';

/** One error in a configuration. */
export interface ConfigIssue {
  /** The field, e.g. `providers[0].baseUrl`; empty for the file as a whole. */
  readonly path: string;
  /** The mistake and how to correct it. Never holds a value that may be secret. */
  readonly message: string;
  /** The line of the field in the file, or of what the field is missing in. Absent where neither is in a file. */
  readonly line?: number | undefined;
}

/** A configuration that cannot be used, with all that is wrong in it. The message can be printed as it is. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** Null when the configuration did not come from a file. */
  readonly file: string | null;
  readonly issues: readonly ConfigIssue[];

  constructor(file: string | null, issues: readonly ConfigIssue[]) {
    const lines = issues.map(
      ({ path, message, line }) =>
        `  ${path === '' ? '' : `${path}: `}${message}${line === undefined ? '' : ` (line ${line})`}`,
    );
    const count = issues.length === 1 ? 'an error' : `${issues.length} errors`;
    super(`${file ?? 'The configuration'} has ${count}:\n${lines.join('\n')}`);
    this.file = file;
    this.issues = issues;
  }
}

/** Writes a field's path the way it would be written in code: `providers[0].baseUrl`. */
export function toPathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('');
}

const WANTED_TYPES: Readonly<Record<string, string>> = {
  string: 'text in double quotes',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list: [ … ]',
  object: 'an object: { … }',
  record: 'an object: { … }',
};

/**
 * Says in an operator's words what a schema found wrong and how to put it right; several unknown fields become one
 * issue each. `tree` is what was checked; of it only types are shown, never values.
 */
export function describeSchemaIssue(issue: z.core.$ZodIssue, schema: z.ZodType, tree: unknown): ConfigIssue[] {
  if (issue.code === 'unrecognized_keys') {
    const known = fieldNamesAt(schema, issue.path, tree);
    return issue.keys.map((name) => ({
      path: toPathText([...issue.path, name]),
      message: describeUnknownField(name, known),
    }));
  }
  return [{ path: toPathText(issue.path), message: describeMistake(issue, valueAt(tree, issue.path)) }];
}

function describeMistake(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type': {
      const wanted = WANTED_TYPES[issue.expected] ?? issue.expected;
      if (issue.expected === 'int' && typeof value === 'number') return 'must be a whole number';
      return value === undefined ? `is missing; give ${wanted}` : `must be ${wanted}, but is ${typeName(value)}`;
    }
    case 'invalid_value':
      return `must be one of ${listNames(issue.values)}`;
    case 'invalid_union':
      return issue.errors.length === 0 && 'options' in issue && Array.isArray(issue.options)
        ? `must be one of ${listNames(issue.options.filter((option) => option !== undefined))}`
        : issue.message;
    case 'too_small':
      if (issue.origin === 'string') return 'must not be empty';
      if (issue.origin !== 'number' && issue.origin !== 'int') return issue.message;
      return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'number' || issue.origin === 'int' ? `must be at most ${issue.maximum}` : issue.message;
    case 'invalid_key':
      return 'is not a valid name of an HTTP header';
    default:
      return issue.message;
  }
}

function describeUnknownField(name: string, known: readonly string[]): string {
  const near = suggestName(name, known);
  if (near !== undefined) return `is not a known field. Did you mean "${near}"?`;
  return `is not a known field. Remove it; the fields here are ${known.join(', ')}`;
}

const listNames = (names: readonly unknown[]): string => names.map((name) => JSON.stringify(name)).join(', ');

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'number' ? 'a number' : 'true or false';
}

const memberOf = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined;

const valueAt = (tree: unknown, path: readonly PropertyKey[]): unknown => path.reduce(memberOf, tree);

/** The names an object may have at a path, by the schema; the value chooses between the members of a union. */
function fieldNamesAt(root: z.ZodType, path: readonly PropertyKey[], tree: unknown): string[] {
  let schema = unwrapSchema(root, tree);
  let value = tree;
  for (const key of path) {
    value = memberOf(value, key);
    const next =
      schema instanceof z.ZodObject
        ? (schema.shape as Record<PropertyKey, unknown>)[key]
        : schema instanceof z.ZodArray
          ? schema.element
          : undefined;
    if (!(next instanceof z.ZodType)) return [];
    schema = unwrapSchema(next, value);
  }
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** Takes off defaults and the like, and chooses between the members of a union by their tag. */
function unwrapSchema(schema: unknown, value: unknown): unknown {
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable
  ) {
    return unwrapSchema(schema.unwrap(), value);
  }
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return schema;
  const tag = schema.def.discriminator;
  return schema.options.find(
    (option) => option instanceof z.ZodObject && z.safeParse(option.shape[tag], memberOf(value, tag)).success,
  );
}
