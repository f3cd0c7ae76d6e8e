/** A database cannot be used. The message is one sentence for operators, without a password. */
export class UnusableDatabaseError extends Error {
  override readonly name = 'UnusableDatabaseError';
  /** Trying again cannot help until somebody has changed something. */
  readonly isPermanent: boolean;

  constructor(message: string, options: { readonly isPermanent: boolean; readonly cause: unknown }) {
    super(message, { cause: options.cause });
    this.isPermanent = options.isPermanent;
  }
}
