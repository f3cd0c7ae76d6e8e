/** A start that failed for a reason outside the program. Its message says what to do, so no stack is shown. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
