import type { Provider } from '../../providers/provider.ts';

/** The result of a check at one layer between the gateway and a provider. */
export interface ProviderFinding {
  readonly layer: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** One line, what was seen. Holds no secret. */
  readonly detail: string;
  /** One line, what to do about it. */
  readonly advice?: string | undefined;
  /** How long the check took; absent where nothing was waited for. */
  readonly durationMs?: number | undefined;
}

/** Facts that the host knows about the connections to its providers and the core does not see. */
export interface ProviderChecks {
  /** Address of a provider; undefined when it is not known. */
  describe(provider: Provider): { readonly host: string; readonly hasKey: boolean } | undefined;
  /**
   * Checks the connection to a provider that `describe` knows, layer by layer, up to the first that fails; each finding
   * comes when it is there. Ends early when the signal fires.
   */
  test(
    provider: Provider,
    options: { readonly call: boolean; readonly signal: AbortSignal },
  ): AsyncIterable<ProviderFinding>;
}
