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

export const hasFailed = (findings: readonly Finding[]): boolean => findings.some(({ status }) => status === 'failed');
