/** What was found at one layer between us and a provider. */
export interface ProviderFinding {
  readonly layer: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** One line, what was seen. Holds no secret. */
  readonly detail: string;
  /** One line, what to do about it. */
  readonly advice?: string | undefined;
}

/** What the host knows of the connections to its providers, which the core never sees. */
export interface ProviderChecks {
  /** Where a provider is; undefined when that is not known. */
  describe(slug: string): { readonly host: string; readonly hasKey: boolean } | undefined;
  /** Looks at a provider that `describe` knows, layer by layer, and no further than the first that fails. */
  test(slug: string, options: { readonly call: boolean }): Promise<readonly ProviderFinding[]>;
}
