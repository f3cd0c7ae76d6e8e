import { isObject } from '../foundation/parse.ts';
import { chosen, dictionary, fields, type Place, record, scalar, text, unseenOr, words } from './text-places.ts';
import { UnredactableError } from './texts.ts';

const NAME = 'the name of a property in a schema';
const PATTERN = 'a pattern in a schema';
const PATTERN_NAME = 'the pattern of a property in a schema';
const REFERENCE = 'a reference in a schema';

/** A text, or each of a list, that keeps the form of names. */
function at(what: string): Place {
  const one: Place = (value, visit) => (typeof value === 'string' ? visit(value, 'name', what) : record(value, visit));
  return chosen(() => one);
}

const subschema: Place = (value, visit) => keywords(value, visit);
const nameRef = at(NAME);
const nameOrSchema = chosen((value) => (typeof value === 'string' ? nameRef : subschema));

/** Values of which no two may be equal, as those that are redacted may become. */
const distinct: Place = (value, visit) => {
  const mapped = record(value, visit);
  return mapped !== value && Array.isArray(mapped) ? [...new Set<unknown>(mapped)] : mapped;
};

const FORMATS = [
  /date(?:-time)?|time|duration|(?:idn-)?email|(?:idn-)?hostname|ipv[46]|[iu]ri(?:-reference)?|uri-template|uuid|regex/,
  /(?:relative-)?json-pointer|u?int(?:8|16|32|64)|float|double|decimal|byte|binary|password|enum/,
];
const DRAFT = /^https?:\/\/json-schema\.org\/(?:draft-0[3-7]|draft\/20(?:19-09|20-12))\/schema#?$/;
const isFormat = new RegExp(`^(?:${FORMATS.map(({ source }) => source).join('|')})$`);

/**
 * The keywords of JSON Schema, and of OpenAPI's and Gemini's additions to it. The name of any other keyword is seen, and
 * all that stands in it.
 */
const keywords: Place = fields({
  $schema: unseenOr(DRAFT, text),
  $id: text,
  $ref: at(REFERENCE),
  $dynamicRef: at(REFERENCE),
  $recursiveRef: at(REFERENCE),
  $anchor: at(NAME),
  $dynamicAnchor: at(NAME),
  $comment: text,
  $defs: dictionary(NAME, subschema),
  definitions: dictionary(NAME, subschema),
  type: words(/string|number|integer|boolean|object|array|null/, /STRING|NUMBER|INTEGER|BOOLEAN|OBJECT|ARRAY|NULL/),
  format: unseenOr(isFormat, text),
  title: text,
  description: text,
  pattern: at(PATTERN),
  contentEncoding: unseenOr(/^(?:base64|base64url|quoted-printable|[78]bit)$/, text),
  contentMediaType: text,
  enum: distinct,
  const: record,
  default: record,
  example: record,
  examples: record,
  properties: dictionary(NAME, subschema),
  patternProperties: dictionary(PATTERN_NAME, subschema),
  dependentSchemas: dictionary(NAME, subschema),
  dependentRequired: dictionary(NAME, nameRef),
  dependencies: dictionary(NAME, nameOrSchema),
  required: nameRef,
  propertyOrdering: nameRef,
  discriminator: fields({ propertyName: nameRef }),
  items: subschema,
  prefixItems: subschema,
  additionalItems: subschema,
  unevaluatedItems: subschema,
  contains: subschema,
  additionalProperties: subschema,
  unevaluatedProperties: subschema,
  propertyNames: subschema,
  contentSchema: subschema,
  allOf: subschema,
  anyOf: subschema,
  oneOf: subschema,
  not: subschema,
  if: subschema,
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword
  then: subschema,
  else: subschema,
  minimum: scalar,
  maximum: scalar,
  exclusiveMinimum: scalar,
  exclusiveMaximum: scalar,
  multipleOf: scalar,
  minLength: scalar,
  maxLength: scalar,
  minItems: scalar,
  maxItems: scalar,
  uniqueItems: scalar,
  minContains: scalar,
  maxContains: scalar,
  minProperties: scalar,
  maxProperties: scalar,
  nullable: scalar,
  deprecated: scalar,
  readOnly: scalar,
  writeOnly: scalar,
});

/**
 * A JSON Schema, which a model reads as it is. A name that is redacted is so wherever the schema has it, and no two names
 * become one. Throws `UnredactableError` where the schema would not be valid with a replacement.
 */
export const schema: Place = (value, visit) => {
  const results: string[] = [];
  let isChanged = false;
  keywords(value, (written, form, place) => {
    const result = visit(written, form, place);
    if (result !== written) isChanged = true;
    results.push(result);
    return written;
  });
  return isChanged ? redactSchema(value, results) : value;
};

function redactSchema(value: unknown, results: readonly string[]): unknown {
  const names = renameAll(value, results);
  let next = 0;
  return keywords(value, (written, _form, place) => {
    const result = results[next] as string;
    next += 1;
    switch (place) {
      case NAME:
        return names.get(written) ?? result;
      case PATTERN_NAME:
        return toPattern(written, names.get(written) ?? result, place);
      case PATTERN:
        return toPattern(written, result, place);
      case REFERENCE:
        return toReference(written, result, { names, root: value });
      default:
        return result;
    }
  });
}

/** Providers refuse longer names of properties. */
const LONGEST_NAME = 64;

/** New names by the old ones, for those that are redacted. */
function renameAll(value: unknown, results: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let next = 0;
  keywords(value, (written, _form, place) => {
    if ((place === NAME || place === PATTERN_NAME) && !found.has(written)) found.set(written, results[next] as string);
    next += 1;
    return written;
  });
  const taken = new Set([...found].flatMap(([old, renamed]) => (old === renamed ? [old] : [])));
  for (const [old, renamed] of found) {
    if (old === renamed) continue;
    let free = renamed.slice(0, Math.max(LONGEST_NAME, old.length));
    for (let count = 2; taken.has(free); count += 1) free = `${renamed.slice(0, LONGEST_NAME - 4)}_${count}`;
    taken.add(free);
    found.set(old, free);
  }
  return found;
}

function toPattern(written: string, result: string, place: string): string {
  if (result !== written && isPattern(written) && !isPattern(result)) throw new UnredactableError(place);
  return result;
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').source !== '';
  } catch {
    return false;
  }
}

interface Renaming {
  readonly names: ReadonlyMap<string, string>;
  /** The schema as it was. */
  readonly root: unknown;
}

/** A reference within the schema follows the names that it is made of. */
function toReference(written: string, result: string, { names, root }: Renaming): string {
  if (!written.startsWith('#/'))
    return written.startsWith('#') ? `#${names.get(written.slice(1)) ?? result.slice(1)}` : result;
  const renamed = written.split('/').map((token) => {
    const renamedToken = names.get(readToken(token));
    return renamedToken === undefined || renamedToken === readToken(token) ? token : writeToken(renamedToken);
  });
  const reference = renamed.join('/');
  if (reference !== written || result === written) return reference;
  // What is to be redacted is no name of the schema: a keyword, or nothing that the reference leads to.
  if (isFound(root, written)) throw new UnredactableError(REFERENCE);
  return result;
}

function isFound(root: unknown, reference: string): boolean {
  let found = root;
  for (const token of reference.split('/').slice(1)) found = isObject(found) ? found[readToken(token)] : undefined;
  return found !== undefined;
}

/** A part of a JSON Pointer in a URL (RFC 6901). */
function readToken(token: string): string {
  let decoded = token;
  try {
    decoded = decodeURIComponent(token);
  } catch {
    // Not encoded.
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
}

const writeToken = (name: string): string => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
