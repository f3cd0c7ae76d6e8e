import { ApiError } from '../../api/api-error.ts';

/** The gateway's message about a field of a form; undefined when there is none. */
export function issueFor(error: unknown, path: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.issues.find((issue) => issue.path === path || issue.path.startsWith(`${path}.`))?.message;
}
