import { messageOf } from '../../../api/api-error.ts';
import { isObject } from '../../../api/is-object.ts';
import { promptingMessages } from '../messages.tsx';

/** Types of a row. */
export const ROW_TYPES = ['string', 'number', 'integer', 'boolean', 'string[]', 'number[]', 'object'] as const;

export type RowType = (typeof ROW_TYPES)[number];

const isRowType = (text: string): text is RowType => ROW_TYPES.some((type) => type === text);

/** A property of an object, as a row of the form. */
export interface SchemaRow {
  readonly name: string;
  readonly type: RowType;
  readonly isRequired: boolean;
  readonly description: string;
  /** Values of which it has to be one, comma-separated; empty where any will do. */
  readonly choices: string;
}

/** A JSON schema of an object, as rows and as text. One follows the other, for as long as rows can say it. */
export interface SchemaDraft {
  /** Null where the text says what rows cannot. */
  readonly rows: readonly SchemaRow[] | null;
  readonly text: string;
}

export const EMPTY_ROW: SchemaRow = { name: '', type: 'string', isRequired: true, description: '', choices: '' };

export const fromRows = (rows: readonly SchemaRow[]): SchemaDraft => ({
  rows,
  text: JSON.stringify(toSchema(rows), null, 2),
});

export const EMPTY_SCHEMA: SchemaDraft = fromRows([]);

/** A draft of typed text: its rows stay as they were while it is no JSON. */
export function fromText(text: string, before: SchemaDraft): SchemaDraft {
  try {
    return { text, rows: toRows(JSON.parse(text)) };
  } catch {
    return { text, rows: before.rows };
  }
}

function toSchema(rows: readonly SchemaRow[]): object {
  return {
    type: 'object',
    properties: Object.fromEntries(rows.map((row) => [row.name, toProperty(row)])),
    required: rows.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    additionalProperties: false,
  };
}

function toProperty({ type, description, choices }: SchemaRow): object {
  const words = splitChoices(choices);
  const values = type === 'number' || type === 'integer' ? words.map(Number) : words;
  return {
    ...(type.endsWith('[]') ? { type: 'array', items: { type: type.slice(0, -2) } } : { type }),
    ...(description !== '' && { description }),
    ...(values.length > 0 && canHaveChoices(type) && { enum: values }),
  };
}

export const canHaveChoices = (type: RowType): boolean => type === 'string' || type === 'number' || type === 'integer';

const splitChoices = (choices: string): string[] =>
  choices
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** The rows of a schema; null where they would not say all of it. */
export function toRows(schema: unknown): readonly SchemaRow[] | null {
  if (!isObject(schema) || schema['type'] !== 'object') return null;
  const { properties = {}, required = [] } = schema;
  if (!isObject(properties) || !Array.isArray(required)) return null;
  const rows = Object.entries(properties).flatMap(
    ([name, property]) => toRow(name, property, required.includes(name)) ?? [],
  );
  const isAll = sameJson({ ...toSchema(rows) }, { additionalProperties: false, required: [], properties, ...schema });
  return isAll ? rows : null;
}

function toRow(name: string, property: unknown, isRequired: boolean): SchemaRow | undefined {
  if (!isObject(property)) return undefined;
  const { type, items, description = '', enum: values = [] } = property;
  const full = type === 'array' && isObject(items) ? `${String(items['type'])}[]` : String(type);
  if (!isRowType(full) || typeof description !== 'string' || !Array.isArray(values)) return undefined;
  return { name, type: full, isRequired, description, choices: values.map(String).join(', ') };
}

/** Alike whatever the order of their members; of `required` the order is of no importance either. */
const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

function sorted(value: unknown): unknown {
  if (Array.isArray(value))
    return value.every((each) => typeof each === 'string') ? value.toSorted() : value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).toSorted();
  return names.map((name) => [name, sorted(value[name])]);
}

/** What is wrong with a schema, by the path of the field. */
export function findSchemaProblems({ rows, text }: SchemaDraft, path: string): Record<string, string> {
  const { schema: t } = promptingMessages();
  try {
    if (!isObject(JSON.parse(text))) return { [`${path}.text`]: t.notObject };
  } catch (error) {
    return { [`${path}.text`]: t.notJson(messageOf(error)) };
  }
  const found: Record<string, string> = {};
  rows?.forEach(({ name, type, choices }, at) => {
    if (name.trim() === '') found[`${path}.rows.${at}.name`] = t.needsName;
    else if (rows.findIndex((other) => other.name === name) < at) found[`${path}.rows.${at}.name`] = t.exists;
    const isNumber = type === 'number' || type === 'integer';
    if (isNumber && splitChoices(choices).some((word) => !Number.isFinite(Number(word))))
      found[`${path}.rows.${at}.choices`] = t.notNumbers;
  });
  return found;
}
