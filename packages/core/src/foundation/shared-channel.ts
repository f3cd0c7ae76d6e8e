/**
 * Carries short texts from each process of a gateway to the others. They are advice: a text may be lost, and nobody
 * waits for one.
 */
export interface SharedChannel {
  /** Never throws; without a connection the text is lost. */
  publish(text: string): void;
  /** Calls back with every text of another process, never with its own. Returns the function that ends it. */
  subscribe(listener: (text: string) => void): () => void;
}
