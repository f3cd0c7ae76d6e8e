import { refuseScim } from './scim-error.ts';

type Operator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'pr';
type Value = string | number | boolean | null;

interface Comparison {
  /** In lower case, without the URN of the core schemas: `emails.value`. */
  readonly path: string;
  readonly operator: Operator;
  readonly value: Value;
}

/** Any of these, of which each is all of its comparisons. */
export type Filter = readonly (readonly Comparison[])[];

const OPERATORS: ReadonlySet<string> = new Set(['eq', 'ne', 'co', 'sw', 'ew', 'pr']);
const CORE_URN = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i;
const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[^\s"]+)/y;
const MAX_LENGTH = 2000;
const MAX_COMPARISONS = 20;

/** An attribute as it is compared: in lower case, without the URN of the core schemas. */
export const toAttributePath = (text: string): string => withoutCoreUrn(text).toLowerCase();

export const withoutCoreUrn = (path: string): string => path.replace(CORE_URN, '');

/**
 * Reads a filter: comparisons by eq, ne, co, sw, ew and pr, joined by `and` and `or`. Throws `invalid_request` with
 * `invalidFilter` for anything else, brackets included.
 */
export function parseFilter(text: string): Filter {
  const tokens = readTokens(text);
  const alternatives: Comparison[][] = [[]];
  let at = 0;
  for (let count = 0; ; count += 1) {
    if (count === MAX_COMPARISONS) throw refuse(`has more than ${MAX_COMPARISONS} comparisons`);
    const [path, operator = '', value] = tokens.slice(at, at + 3);
    const name = operator.toLowerCase();
    if (path === undefined || !/^[\w$.:-]+$/.test(path)) throw refuse('must begin with an attribute: userName eq "x"');
    if (!OPERATORS.has(name)) throw refuse(`has no operator that is known here after ${path}; use eq`);
    alternatives.at(-1)?.push({
      path: toAttributePath(path),
      operator: name as Operator,
      value: name === 'pr' ? null : readValue(value),
    });
    at += name === 'pr' ? 2 : 3;
    const joint = tokens[at]?.toLowerCase();
    if (joint === undefined) return alternatives;
    if (joint !== 'and' && joint !== 'or') throw refuse('can join comparisons by and, and by or');
    if (joint === 'or') alternatives.push([]);
    at += 1;
  }
}

function readTokens(text: string): string[] {
  if (text.length > MAX_LENGTH) throw refuse(`is longer than ${MAX_LENGTH} characters`);
  const tokens: string[] = [];
  const rest = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < rest.length) {
    const token = TOKEN.exec(rest)?.[1];
    if (token === undefined) throw refuse('has a quotation mark without an end');
    tokens.push(token);
  }
  return tokens;
}

function readValue(token: string | undefined): Value {
  if (token === undefined) throw refuse('ends before its value');
  try {
    const value: unknown = JSON.parse(/^(?:true|false|null)$/i.test(token) ? token.toLowerCase() : token);
    if (value === null || typeof value !== 'object') return value as Value;
  } catch {
    // As below.
  }
  throw refuse(`has a value that is no text, number, true, false or null: ${token.slice(0, 50)}`);
}

const refuse = (problem: string): Error => refuseScim('invalidFilter', `filter ${problem}`);

/** Texts in which upper and lower case matter. */
const EXACT: ReadonlySet<string> = new Set(['id', 'externalid', 'members', 'members.value', 'groups', 'groups.value']);

/**
 * Whether a resource fits. `read` returns the values of an attribute by its path in lower case, none where it is not
 * set, and undefined for an attribute that does not exist: nothing is equal to that.
 */
export function fits(filter: Filter, read: (path: string) => readonly Value[] | undefined): boolean {
  return filter.some((all) =>
    all.every(({ path, operator, value }) => {
      const values = (read(path) ?? []).map((each) => toComparable(path, each));
      const wanted = toComparable(path, value);
      switch (operator) {
        case 'pr':
          return values.length > 0;
        case 'eq':
          return wanted === null ? values.length === 0 : values.includes(wanted);
        case 'ne':
          return wanted === null ? values.length > 0 : !values.includes(wanted);
        case 'co':
          return values.some((each) => String(each).includes(String(wanted)));
        case 'sw':
          return values.some((each) => String(each).startsWith(String(wanted)));
        case 'ew':
          return values.some((each) => String(each).endsWith(String(wanted)));
      }
    }),
  );
}

/** Microsoft's directory compares `active` with a text. */
function toComparable(path: string, value: Value): Value {
  if (path === 'active' && typeof value === 'string') return value.toLowerCase() === 'true';
  return typeof value === 'string' && !EXACT.has(path) ? value.toLowerCase() : value;
}
