/** The data directory, or a file in it, is not what a store can work with; the message says what to do. */
export class UnusableDirectoryError extends Error {
  override readonly name = 'UnusableDirectoryError';
}
