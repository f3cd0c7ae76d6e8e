import type { SecretBox } from '../foundation/host.ts';
import type { Issue } from '../foundation/parse.ts';
import type { DiscoveredModel, Provider } from '../providers/provider.ts';
import type { ConfiguredModel, ModelDefinition } from '../wire/model-definition.ts';
import type { ProviderSettings } from '../wire/provider-settings.ts';
import type { ShownSettings } from '../wire/provider-setup.ts';

/** A provider of the configuration, as it is shown. */
export interface ConfiguredProvider {
  readonly slug: string;
  readonly name: string;
  readonly address: string;
  /** Null for none. */
  readonly keyHint: string | null;
  readonly hasKey: boolean;
  readonly headerNames: readonly string[];
  readonly settings: ShownSettings;
}

/**
 * The test of a provider that is not saved yet: what was found of each layer, up to the first that failed, without
 * secrets; then the models that it lists, null when the list was not read.
 */
export type DraftTest = AsyncGenerator<ProviderFinding, readonly DiscoveredModel[] | null, undefined>;

/** A model server on the machine of the gateway. */
export interface LocalServer {
  readonly preset: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
}

/** What the host contributes when providers and models are set up through the API. */
export interface SetupHost {
  /** What the host's own configuration has: shown, never changed, and first wherever both name the same. */
  readonly configured: {
    readonly providers: readonly ConfiguredProvider[];
    readonly models: readonly ConfiguredModel[];
  };
  readonly secrets: SecretBox;
  /** The models that providers serve by their preset. Called when something is set up. */
  loadBuiltInModels(): Promise<readonly ModelDefinition[]>;
  /** What is wrong with a provider, as for one of the configuration; the paths are dotted. */
  findProblems(settings: ProviderSettings): readonly Issue[];
  /** The name and the address that these settings lead to; undefined for those that are objected to. */
  describe(settings: ProviderSettings): { readonly name: string; readonly address: string } | undefined;
  /** Makes the provider. Its key and headers must not appear in any log from then on. */
  connect(settings: ProviderSettings): Promise<Provider>;
  /**
   * Makes a provider of the configuration with this key in place of its own, paid by whom the key belongs to. Null where
   * it has no place for a key. The key must not appear in any log from then on.
   */
  connectWithKey(slug: string, apiKey: string): Promise<Provider | null>;
  /** Tests a provider layer by layer; with a `model` also by a call. Ends early when the signal fires. */
  test(
    settings: ProviderSettings,
    options: { readonly model: string | undefined; readonly signal: AbortSignal },
  ): DraftTest;
  findLocalServers(): Promise<readonly LocalServer[]>;
}

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
