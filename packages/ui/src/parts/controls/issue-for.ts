import { ApiError } from '../../api/api-error.ts';

/** What the gateway said about a field of a form; undefined when it said nothing. */
export function issueFor(error: unknown, path: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.issues.find((issue) => issue.path === path || issue.path.startsWith(`${path}.`))?.message;
}
