import type { z } from 'zod';

import { GatewayError } from './errors.ts';
import { parseWithinDepth } from './json-depth.ts';

/** Limit of reported issues: a body with a million faults must not cause a response that is larger than itself. */
const MAX_ISSUES = 500;

/** No schema looks deeper. */
const MAX_DEPTH = 200;

interface ParseOptions {
  /** The path of an issue with the value as a whole. Default: `body`. */
  readonly whole?: string;
  /** The path of the value itself, where it is a part of the request. */
  readonly within?: string;
}

/** Checks a value against a schema; throws `invalid_request` that lists its issues with their paths. */
export function parseWith<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  options?: ParseOptions,
): z.infer<Schema> {
  const result = checkWith(schema, value);
  if (result.success) return result.data;
  const { within, whole = within ?? 'body' } = options ?? {};
  const toPath = (keys: readonly PropertyKey[]): string =>
    keys.length === 0 ? whole : [...(within === undefined ? [] : [within]), ...keys].join('.');
  throw refuseIssues(
    result.error.issues.flatMap((issue) => locate(issue)).map(({ keys, message }) => ({ path: toPath(keys), message })),
  );
}

/** As `safeParse` of the schema, which throws for some values of JSON. */
export function checkWith<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.infer<Schema>> {
  try {
    return schema.safeParse(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return schema.safeParse(withoutOddLengths(value));
  }
}

/**
 * Zod compares the `length` of whatever has one with the limits of a text or a list, before it says that the value is
 * neither. A `length` that is an object with a member `toString` cannot be compared, and throws.
 */
function withoutOddLengths(value: unknown, depth = 0): unknown {
  if (!isObject(value) || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => withoutOddLengths(item, depth + 1));
  const members = Object.entries(value).filter(([name, member]) => name !== 'length' || !isObject(member));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutOddLengths(member, depth + 1)]));
}

interface LocatedIssue {
  readonly keys: readonly PropertyKey[];
  readonly message: string;
}

/** The fields that are wrong, with their keys below those of `parent`. */
function locate(issue: z.core.$ZodIssue, parent: readonly PropertyKey[] = []): LocatedIssue[] {
  const keys = [...parent, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ keys: [...keys, key], message: 'is not a known field' }));
  }
  if (issue.code === 'invalid_key') return [{ keys, message: issue.issues[0]?.message ?? issue.message }];
  const meant = issue.code === 'invalid_union' ? findMeantForm(issue.errors) : undefined;
  return meant?.flatMap((inner) => locate(inner, keys)) ?? [{ keys, message: issue.message }];
}

/**
 * The issues of the only form that fits the value as a whole, so that a wrong picture of a message is named itself
 * instead of the content of the message; undefined when no form fits, or several.
 */
function findMeantForm(forms: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const fitting = forms.filter((issues) =>
    issues.every(({ code, path }) => path.length > 0 || code === 'unrecognized_keys'),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** Something that is wrong in a body; `path` is dotted, or `body` for the body itself. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** `invalid_request` for everything that is wrong, with the first few issues in its message. */
export function refuseIssues(issues: readonly Issue[]): GatewayError {
  const shown = issues.slice(0, 3).map(({ path, message }) => `${path}: ${message}`);
  const more = issues.length > 3 ? ` (and ${issues.length - 3} more)` : '';
  const leftOut = issues.length - MAX_ISSUES;
  return new GatewayError('invalid_request', `${shown.join('; ')}${more}`, {
    metadata: { issues: issues.slice(0, MAX_ISSUES), ...(leftOut > 0 && { issues_left_out: leftOut }) },
  });
}

/** An object from untrusted JSON, whose fields are not checked yet. */
export type Unchecked = Readonly<Record<string, unknown>>;

/** Whether fields can be read from a value. Lists pass: a field that a list lacks is undefined as in an object. */
export function isObject(value: unknown): value is Unchecked {
  return typeof value === 'object' && value !== null;
}

/** Whether a value is an object and no list. */
export function isRecord(value: unknown): value is Unchecked {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list; none for any other value. */
export function objectsOf(value: unknown): Unchecked[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** More than any model reads or writes in one call: a count beyond it is a mistake, and would spoil sums. */
const MAX_COUNT = 1e9;

/** A count is a whole number from 0 up; any other value from a provider would corrupt a budget. */
export function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT ? value : undefined;
}

/** Whether a text is as a pattern says, in which `*` stands for any characters. Takes linear time in most cases. */
export function isLike(text: string, pattern: string): boolean {
  const parts = pattern.split('*');
  const [head = '', ...others] = parts;
  if (others.length === 0) return text === pattern;
  const tail = others.pop() ?? '';
  if (!text.startsWith(head) || !text.endsWith(tail) || text.length < head.length + tail.length) return false;
  let at = head.length;
  const end = text.length - tail.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** Parses what upstream sent; undefined when it is no JSON, as a proxy's page or half a body is not. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * The same, but throws `provider_unavailable` when it is no JSON, or nested more than a thousand levels deep. `what`:
 * what was asked for, in words.
 */
export function parseReturned(text: string, providerName: string, what = 'something'): unknown {
  let value: unknown;
  try {
    value = parseWithinDepth(text);
  } catch (cause) {
    throw new GatewayError('provider_unavailable', `${providerName} returned ${what} that is not JSON`, { cause });
  }
  if (value !== undefined) return value;
  throw new GatewayError('provider_unavailable', `${providerName} returned JSON that is nested too deep`, {
    metadata: { provider_name: providerName },
  });
}
