import type { SecretBox } from '../../foundation/host.ts';
import type { Issue } from '../../foundation/parse.ts';
import type { DiscoveredModel, Provider } from '../../providers/provider.ts';
import type { ConfiguredModel, ModelDefinition } from '../../wire/model-definition.ts';
import type { ProviderSettings, ShownSettings } from '../../wire/provider-setup.ts';
import type { ProviderFinding } from '../providers/provider-checks.ts';

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
  objectTo(settings: ProviderSettings): readonly Issue[];
  /** The name and the address that these settings lead to; undefined for those that are objected to. */
  describe(settings: ProviderSettings): { readonly name: string; readonly address: string } | undefined;
  /** Makes the provider. Its key and headers must not appear in any log from then on. */
  connect(settings: ProviderSettings): Promise<Provider>;
  /** Tests a provider layer by layer; with a `model` also by a call. Ends early when the signal fires. */
  test(
    settings: ProviderSettings,
    options: { readonly model: string | undefined; readonly signal: AbortSignal },
  ): DraftTest;
  findLocalServers(): Promise<readonly LocalServer[]>;
}
