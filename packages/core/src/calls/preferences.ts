import type { ProviderPreferences } from '../wire/chat/provider-preferences.ts';

/** The request's preferences for the choice of endpoints. */
export interface CallPreferences {
  readonly provider: ProviderPreferences;
  /** The tier of service by name: `priority`, `flex`. */
  readonly serviceTier?: string | null | undefined;
  /** Whether endpoints are sorted model by model or all together. */
  readonly partition: 'model' | 'none';
  /** Calls of one caller with the same key stay on one endpoint. */
  readonly cacheKey?: string | null | undefined;
  /**
   * Returns the conversation's opening, which leads calls without a key to the same endpoint, where cached prompts cost
   * less. Called only where load is balanced; absent for kinds without a conversation, which have no affinity.
   */
  readonly openingOf?: (() => string) | undefined;
}

/** The models that a request names. */
export interface RequestedModels {
  readonly model?: string | null | undefined;
  /** Further ones, in the order they are to be tried. */
  readonly models?: readonly string[] | null | undefined;
}
