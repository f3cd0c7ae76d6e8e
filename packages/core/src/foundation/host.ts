/** Figures of one name, as monitoring collects them. */
export interface MetricFamily {
  /** As Prometheus names it. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** How the figures of several processes of a gateway become one. */
  readonly combine: 'sum' | 'max' | 'min';
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  /** The name of the family; of a histogram with `_bucket`, `_sum` or `_count`. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a scrape reads. */
export interface Exposition {
  readonly contentType: string;
  readonly body: string;
}

/** Options of `GET /metrics`. */
export interface MetricsOptions {
  /** Admits a scraper of another machine by `Authorization: Bearer`, beside management keys. Default: these alone. */
  readonly token?: string | undefined;
  /**
   * Writes what a scrape reads, with figures of the host's process or of others: `gateway.readMetrics()` has those of
   * the gateway. Default: these alone.
   */
  readonly expose?: (() => Promise<Exposition>) | undefined;
}

/** What holds the rows of a store, or what the processes of a gateway share, as operators see it. */
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

/** The process that a gateway runs in, as its host describes it to operators. */
export interface InstanceFacts {
  /** Version of the program. */
  readonly version?: string | undefined;
  /** The name of the machine or container. */
  readonly host?: string | undefined;
  readonly processId?: number | undefined;
  /** Which of the workers of one host it is, from 1 on. */
  readonly worker?: { readonly number: number; readonly of: number } | undefined;
}

/**
 * Carries short texts from each process of a gateway to the others. They are advice: a text may be lost, and no process
 * waits for one.
 */
export interface SharedChannel {
  /** Never throws; without a connection the text is lost. */
  publish(text: string): void;
  /** Calls back with every text of another process, never with its own. Returns the function that ends it. */
  subscribe(listener: (text: string) => void): () => void;
}

/** Log of the gateway for its operator. Fields never contain prompts, completions or secrets. */
export interface Logger {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
