/** What other processes at the same database tell, over one connection of its own. */
export interface Notifications {
  /**
   * Calls back with the payload of each notification of a channel; the returned function ends that. The name of a
   * channel is a plain word.
   */
  listen(channel: string, hear: (payload: string) => void): () => void;
  /** Tells other processes, where the statements of the database do not. Never throws; may be lost. */
  tell(channel: string, payload: string): void;
  /** Calls back each time the connection has been made (again): anything may have been missed before. */
  onConnected(listener: () => void): () => void;
  /** Whether notifications arrive at present. */
  isConnected(): boolean;
  close(): Promise<void>;
}
