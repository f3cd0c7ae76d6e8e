import { ApiError, toRemedy } from '../../api/api-error.ts';

/** A text for a bug report: no key, no address of this machine, no prompt. */
export function toErrorReport(error: unknown): string {
  const lines = [
    'Model Gateway, web UI',
    `message: ${error instanceof Error ? error.message : String(error)}`,
    ...(error instanceof ApiError
      ? [
          `status: ${error.status}`,
          `error_type: ${error.errorType}`,
          ...error.issues.map(({ path, message }) => `issue: ${path} ${message}`),
        ]
      : [`stack: ${error instanceof Error ? (error.stack ?? '') : ''}`]),
    `what to do: ${toRemedy(error)}`,
    `browser: ${navigator.userAgent}`,
    `time: ${new Date().toISOString()}`,
  ];
  return lines.join('\n');
}
