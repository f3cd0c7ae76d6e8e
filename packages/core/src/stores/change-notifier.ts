/**
 * Tells the processes at one store that its tables have changed, for a store whose engine cannot do it. The versions of
 * the tables decide what is read again: a notice may be lost, or come without a change.
 */
export interface ChangeNotifier {
  /** Tells all other processes. Never throws or waits. */
  notify(): void;
  /** Calls back when another process has changed something, and when a notice may have been missed. */
  subscribe(onChange: () => void): () => void;
}
