/** What holds the rows of a store, or what the processes of a gateway share, as operators are told of it. */
export interface Engine {
  /** `postgres`, `redis`, `json` for files, `memory`, or a word of the host's own. */
  readonly type: string;
  /** A directory, or host and port; null where there is none. Never a user or a password. */
  readonly address: string | null;
  /** The database there, by its name. Default: it has no name. */
  readonly database?: string | undefined;
  /** Why it does not respond at the moment, in a sentence; null while it does. Absent where it always does. */
  outage?(): string | null;
}
