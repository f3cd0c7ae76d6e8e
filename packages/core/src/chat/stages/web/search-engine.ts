export interface SearchQuery {
  readonly query: string;
  readonly maxResults: number;
  /** Sites, as far as the engine can filter by them; the gateway filters the results again. */
  readonly allowedDomains: readonly string[];
  readonly excludedDomains: readonly string[];
  /** Two letters, where the caller is known to be. */
  readonly country?: string | undefined;
  readonly signal: AbortSignal;
}

export interface SearchResult {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
}

/** Something that finds pages on the web. Rejects with `TransportError`, or `ToolFailure` in words for the model. */
export interface SearchEngine {
  readonly name: string;
  search(query: SearchQuery): Promise<readonly SearchResult[]>;
}
