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
