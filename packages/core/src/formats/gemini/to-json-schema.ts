import { isRecord } from '../../foundation/parse.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Keywords whose values are schemas, or lists or dictionaries of them. */
const NESTED: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'not',
  'anyOf',
  'allOf',
  'oneOf',
  'prefixItems',
]);
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'defs', 'definitions']);
/** Numbers that Google writes as texts, because they are 64 bits long. */
const COUNTS: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
]);

/**
 * Converts a schema of OpenAPI 3.0 in Google's form, with types in capitals, to JSON Schema. Names of properties and
 * their order stay as they are; `propertyOrdering` and `example`, which JSON Schema does not have, are left out.
 */
export function toJsonSchema(schema: Schema): Schema {
  const converted: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'nullable' || keyword === 'propertyOrdering' || keyword === 'example') continue;
    if (keyword === 'type' && typeof value === 'string') {
      if (value !== 'TYPE_UNSPECIFIED') converted[keyword] = value.toLowerCase();
    } else if (keyword === 'format' && value === 'enum') continue;
    else if (COUNTS.has(keyword) && typeof value === 'string') converted[keyword] = Number(value);
    else if (NAMED.has(keyword) && isRecord(value)) converted[keyword] = mapMembers(value);
    else converted[keyword] = NESTED.has(keyword) ? toNested(value) : value;
  }
  return schema['nullable'] === true ? toNullable(converted) : converted;
}

const toNested = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(toNested) : isRecord(value) ? toJsonSchema(value) : value;

const mapMembers = (members: Schema): Schema =>
  Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, toNested(schema)]));

function toNullable(schema: Record<string, unknown>): Schema {
  const { type, enum: values, ...rest } = schema;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { type: [type, 'null'], ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }), ...rest };
}
