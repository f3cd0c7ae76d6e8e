import type { Finding } from './finding.ts';

const MARKS: Readonly<Record<Finding['status'], string>> = {
  ok: 'ok  ',
  warning: 'warn',
  failed: 'FAIL',
  skipped: '-   ',
};

/** Formats the findings of one provider for people: a line each, with the advice below it. */
export function toReport(slug: string, baseUrl: string, findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ layer, status, detail, advice }) => [
    `  ${MARKS[status]}  ${layer.padEnd(7)}  ${detail}`,
    ...(advice === undefined ? [] : [`${' '.repeat(17)}${advice}`]),
  ]);
  return `${slug}  ${baseUrl}\n${lines.join('\n')}\n`;
}

/** Says of a provider that was set up why it is not called. */
export function toStandingReport(
  slug: string,
  { isFailure, detail, advice }: { readonly isFailure: boolean; readonly detail: string; readonly advice?: string },
): string {
  const mark = MARKS[isFailure ? 'failed' : 'skipped'];
  return `${slug}  set up in the UI or over HTTP\n  ${mark}  ${detail}\n${advice === undefined ? '' : `        ${advice}\n`}`;
}

export const hasFailed = (findings: readonly Finding[]): boolean => findings.some(({ status }) => status === 'failed');
