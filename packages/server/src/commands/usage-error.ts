/** An invalid command line. Its message says what to type instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
