import { isRecord, type Unchecked } from '../../../foundation/parse.ts';

type Schema = Unchecked;

/** Constraints for which the wire responds with a 400, beside lengths of lists above 1. */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
]);
/** Keys below which schemas are listed by name, so that their names are no constraints. */
const NAMED_SCHEMAS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
/** Keys whose values are data, even if they look like schemas. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required']);

/**
 * Adapts a JSON schema to the subset that the wire can bind completions to: objects are closed, and constraints it does
 * not support move into the description, where the model still reads them (Anthropic's own SDKs do the same).
 */
export function toOutputSchema(schema: Schema): Record<string, unknown> {
  const adapted: Record<string, unknown> = {};
  const notes: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (UNSUPPORTED.has(key) || (key === 'minItems' && Number(value) > 1)) {
      notes.push(`${key}: ${JSON.stringify(value)}`);
    } else if (NAMED_SCHEMAS.has(key) && isRecord(value)) {
      adapted[key] = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, adapt(inner)]));
    } else {
      adapted[key] = DATA.has(key) ? value : adapt(value);
    }
  }
  if (isObjectType(schema)) adapted['additionalProperties'] = false;
  if (notes.length > 0) {
    const { description } = schema;
    adapted['description'] = [...(typeof description === 'string' ? [description] : []), `{${notes.join(', ')}}`].join(
      '\n\n',
    );
  }
  return adapted;
}

function adapt(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(adapt);
  return isRecord(value) ? toOutputSchema(value) : value;
}

const isObjectType = ({ type, properties }: Schema): boolean =>
  type === 'object' || (Array.isArray(type) && type.includes('object')) || (type === undefined && isRecord(properties));
