/** A start that failed for a reason outside the program. Its message says what to do; no stack is of any help. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
