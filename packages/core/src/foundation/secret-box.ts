/**
 * Seals secrets before a store saves them. A host gives the implementation: a key of its environment, a file, or the
 * operating system's own.
 */
export interface SecretBox {
  /** The sealed form of a text, fit for storing. `context` says what it belongs to; it can be opened with that alone. */
  seal(text: string, context: string): Promise<string>;
  /** Rejects for a text that was changed, belongs to another context, or was sealed with another key. */
  open(sealed: string, context: string): Promise<string>;
}
