import type { ProviderPreferences } from '../wire/chat/provider-preferences.ts';

/** How a request wants its endpoints chosen. */
export interface CallPreferences {
  readonly provider: ProviderPreferences;
  /** The tier of service by name: `priority`, `flex`. */
  readonly serviceTier?: string | null | undefined;
  /** Whether endpoints are sorted model by model or all together. */
  readonly partition: 'model' | 'none';
  /** Calls of one caller with the same key stay on one endpoint. */
  readonly cacheKey?: string | null | undefined;
  /**
   * The opening of the conversation, which keeps calls without any key on an endpoint that reads from its cache for
   * less. Asked only where load is balanced. Absent for kinds of call without a conversation, which stay nowhere.
   */
  readonly openingOf?: (() => string) | undefined;
}

/** The models that a request names. */
export interface RequestedModels {
  readonly model?: string | null | undefined;
  /** Further ones, in the order they are to be tried. */
  readonly models?: readonly string[] | null | undefined;
}
