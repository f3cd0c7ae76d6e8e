/** One thing that is wrong in a configuration. */
export interface ConfigIssue {
  /** The field, e.g. `providers[0].baseUrl`; empty for the file as a whole. */
  readonly path: string;
  /** The mistake and how to correct it. Never holds a value that may be secret. */
  readonly message: string;
}

/** A configuration that cannot be used, with all that is wrong in it. The message can be printed as it is. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** Null when the configuration did not come from a file. */
  readonly file: string | null;
  readonly issues: readonly ConfigIssue[];

  constructor(file: string | null, issues: readonly ConfigIssue[]) {
    const lines = issues.map(({ path, message }) => `  ${path === '' ? '' : `${path}: `}${message}`);
    const count = issues.length === 1 ? 'an error' : `${issues.length} errors`;
    super(`${file ?? 'The configuration'} has ${count}:\n${lines.join('\n')}`);
    this.file = file;
    this.issues = issues;
  }
}

/** Writes a field's path the way it would be written in code: `providers[0].baseUrl`. */
export function toPathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('');
}
