import { suggestName } from '@model-gateway/core';
import { z } from 'zod';

import { type ConfigIssue, toPathText } from './config-error.ts';

const WANTED: Readonly<Record<string, string>> = {
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
  return [{ path: toPathText(issue.path), message: describe(issue, valueAt(tree, issue.path)) }];
}

function describe(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type': {
      const wanted = WANTED[issue.expected] ?? issue.expected;
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
      return 'is not a name that an HTTP header may have';
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
  let schema = unwrap(root, tree);
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
    schema = unwrap(next, value);
  }
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** Takes off defaults and the like, and chooses between the members of a union by their tag. */
function unwrap(schema: unknown, value: unknown): unknown {
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable
  ) {
    return unwrap(schema.unwrap(), value);
  }
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return schema;
  const tag = schema.def.discriminator;
  return schema.options.find(
    (option) => option instanceof z.ZodObject && z.safeParse(option.shape[tag], memberOf(value, tag)).success,
  );
}
