/** Layers that are checked, each on top of the one before. */
type Layer = 'address' | 'dns' | 'tcp' | 'tls' | 'auth' | 'call';

/** Result of the check of one layer. After a `failed` layer the layers above it are not checked. */
export interface Finding {
  readonly layer: Layer;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** One line that says what was found. */
  readonly detail: string;
  /** One line that says what to do about it. */
  readonly advice?: string | undefined;
  /** Absent where nothing was waited for. */
  readonly durationMs?: number | undefined;
}

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
