import type { z } from 'zod';

import { GatewayError } from './errors.ts';

/** Limit of reported issues: a body with a million faults must not cause a response that is larger than itself. */
const MAX_ISSUES = 500;

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
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { within, whole = within ?? 'body' } = options ?? {};
  const toPath = (keys: readonly PropertyKey[]): string =>
    keys.length === 0 ? whole : [...(within === undefined ? [] : [within]), ...keys].join('.');
  const issues = result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: toPath([...issue.path, key]), message: 'is not a known field' }))
      : [{ path: toPath(issue.path), message: issue.message }],
  );
  throw refuseIssues(issues);
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
