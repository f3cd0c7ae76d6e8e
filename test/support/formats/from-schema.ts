import fc from 'fast-check';

/** The part of JSON Schema that the gateway's own description uses. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** Deeper than this a value is left out where it may be, so that schemas that contain themselves come to an end. */
const MAX_DEPTH = 5;

/**
 * Values that mostly hold to a schema; patterns are not followed, which is one of the ways in which they do not.
 * `known` are texts that mean something where a text is wanted: ids of what is there, names of models.
 */
export function fromSchema(schema: object, known: readonly string[]): fc.Arbitrary<unknown> {
  const root = schema as Schema;
  const find = (reference: string): Schema => {
    if (reference === '#') return root;
    return root.$defs?.[reference.replace('#/$defs/', '')] ?? {};
  };
  const texts = ({ minLength = 0, maxLength = 40, format }: Schema): fc.Arbitrary<string> =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...known) },
      fc.string({
        unit: 'grapheme',
        minLength: Math.min(minLength, 50),
        maxLength: Math.max(minLength, Math.min(maxLength, 50)),
      }),
      format === 'date-time' || format === 'date'
        ? fc.constantFrom('2026-01-02T03:04:05.000Z', '2026-01-02')
        : fc.constantFrom('https://hook.example/a', 'monthly', '0.5'),
    );
  const numbers = (
    { minimum = -10, maximum = 1e6, exclusiveMinimum }: Schema,
    isWhole: boolean,
  ): fc.Arbitrary<number> => {
    const least = Math.ceil(exclusiveMinimum === undefined ? minimum : exclusiveMinimum + 1);
    const most = Math.max(least, Math.floor(maximum));
    const whole = fc.integer({ min: Math.max(least, -(2 ** 31)), max: Math.min(most, 2 ** 31 - 1) });
    return isWhole ? whole : fc.oneof(whole, fc.double({ min: least, max: most, noNaN: true }));
  };
  const objects = (each: Schema, depth: number): fc.Arbitrary<unknown> => {
    const { properties = {}, required = [], additionalProperties } = each;
    const members = Object.entries(properties).filter(([name]) => depth < MAX_DEPTH || required.includes(name));
    const known = fc.record(Object.fromEntries(members.map(([name, member]) => [name, valueOf(member, depth + 1)])), {
      requiredKeys: [...required].filter((name) => name in properties),
    });
    if (typeof additionalProperties !== 'object' || depth >= MAX_DEPTH) return known;
    return fc.oneof(
      known,
      fc.dictionary(fc.string({ maxLength: 10 }), valueOf(additionalProperties, depth + 1), { maxKeys: 2 }),
    );
  };
  const lists = ({ items = {}, prefixItems, minItems = 0 }: Schema, depth: number): fc.Arbitrary<unknown> => {
    if (prefixItems !== undefined) return fc.tuple(...prefixItems.map((item) => valueOf(item, depth + 1)));
    const maxLength = Math.max(minItems, depth < MAX_DEPTH ? 3 : 0);
    return fc.array(valueOf(items, depth + 1), { minLength: minItems, maxLength });
  };
  const valueOf = (each: Schema, depth: number): fc.Arbitrary<unknown> => {
    if (each.$ref !== undefined) return depth > MAX_DEPTH * 2 ? fc.constant(null) : valueOf(find(each.$ref), depth + 1);
    if ('const' in each) return fc.constant(each.const);
    if (each.enum !== undefined) return fc.constantFrom(...each.enum);
    const choices = each.anyOf ?? each.oneOf;
    if (choices !== undefined) return fc.oneof(...choices.map((choice) => valueOf(choice, depth + 1)));
    if (each.allOf !== undefined) {
      const parts = each.allOf.map((part) => valueOf(part, depth + 1));
      return fc.tuple(...parts).map((made) => Object.assign({}, ...made.map((part) => part ?? {})) as unknown);
    }
    const type = typeof each.type === 'string' ? each.type : (each.type?.[0] ?? (each.properties ? 'object' : ''));
    switch (type) {
      case 'string':
        return texts(each);
      case 'number':
      case 'integer':
        return numbers(each, type === 'integer');
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        return lists(each, depth);
      case 'object':
        return objects(each, depth);
      default:
        return fc.json({ maxDepth: 1 }).map((text): unknown => JSON.parse(text));
    }
  };
  return valueOf(root, 0);
}
