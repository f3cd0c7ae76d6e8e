import {
  addressOfPreset,
  type Cloud,
  type CloudSettings,
  type DataPolicy,
  type Environment,
  keyOfPreset,
  placeOfCloud,
  type PresetVariables,
  type ProviderSettings,
  type Wire,
} from '@model-gateway/core';
import { defaultKeyName } from '@model-gateway/core/setup';

/** The fields of a preset that the configuration uses; core's `PRESETS` fit it. */
export interface ProviderPreset extends PresetVariables {
  readonly wire: Wire;
  readonly name: string;
  /** The provider's slug where the preset's name is another. */
  readonly slug?: string | undefined;
  readonly listsModels: boolean;
  readonly dataPolicy: DataPolicy;
  readonly dialect?:
    | { readonly isGateway?: boolean | undefined; readonly hasResponses?: boolean | undefined }
    | undefined;
}

/** One of several keys of a provider. */
type KeyConfig = NonNullable<ProviderSettings['apiKeys']>[number] & { readonly name: string };

/** An identity of a cloud. */
export interface CloudConfig extends CloudSettings {
  readonly kind: Cloud;
}

/** A provider ready to be created. */
export interface ProviderConfig {
  readonly slug: string;
  readonly name: string;
  /** The preset it came from, for what only the composition root can look up (the dialect); null without one. */
  readonly preset: string | null;
  readonly wire: Wire;
  readonly baseUrl: string;
  /** Added to every address. */
  readonly query: Readonly<Record<string, string>>;
  readonly apiKey: string | undefined;
  /** Several keys that calls are shared among, of which `apiKey` is the first; empty without a list. */
  readonly apiKeys: readonly KeyConfig[];
  /** The identity that it is called with in place of a key; null for none. */
  readonly cloud: CloudConfig | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly dataPolicy: DataPolicy | undefined;
  /** Calls of the Responses form go on in it. */
  readonly responses: boolean;
  readonly region: string | undefined;
  readonly byok: boolean;
  readonly discoverModels: boolean;
  /** Lines of batches go to its own batch API; undefined: where it is known to have one. */
  readonly batches: boolean | undefined;
  readonly batchPriceShare: number | undefined;
  /** Undefined when not known. */
  readonly listsModels: boolean | undefined;
}

/** Fills an entry in from its preset. Expects what `checkConfig` has passed; throws otherwise. */
export function toProviderConfig(
  entry: ProviderSettings,
  presets: Readonly<Record<string, ProviderPreset>>,
  env: Environment,
): ProviderConfig {
  const preset = entry.preset === undefined ? undefined : presets[entry.preset];
  const baseUrl = entry.baseUrl ?? (preset && addressOfPreset(preset, env, entry.cloud));
  const wire = entry.wire ?? preset?.wire;
  if (baseUrl === undefined || wire === undefined) throw new Error(`provider ${entry.slug} has no address or wire`);
  const apiKey = toKey(entry, preset, env);
  return {
    slug: entry.slug,
    name: entry.name ?? preset?.name ?? entry.slug,
    preset: entry.preset ?? null,
    wire,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    query: entry.query,
    apiKey,
    apiKeys: toKeys(entry),
    cloud: apiKey === undefined ? toCloud(entry, preset, env) : null,
    headers: entry.headers,
    dataPolicy: entry.dataPolicy ?? preset?.dataPolicy,
    responses: entry.responses ?? (preset !== undefined && hasResponses(entry, preset)),
    region: entry.region,
    byok: entry.byok,
    discoverModels: entry.discoverModels,
    batches: entry.batches,
    batchPriceShare: entry.batchPriceShare,
    listsModels: preset?.listsModels,
  };
}

/** The name of `apiKey` beside a list. */
const FIRST_KEY = 'apiKey';

function toKeys({ apiKey, apiKeys = [] }: ProviderSettings): KeyConfig[] {
  const named = apiKeys.map((entry, at) => ({ ...entry, name: entry.name ?? defaultKeyName(at) }));
  return apiKey == null || named.length === 0 ? named : [{ name: FIRST_KEY, key: apiKey }, ...named];
}

function toKey(entry: ProviderSettings, preset: ProviderPreset | undefined, env: Environment): string | undefined {
  const [first] = entry.apiKeys ?? [];
  if (entry.apiKey == null && first !== undefined) return first.key;
  return entry.apiKey === undefined ? presetKey(entry, preset, env) : (entry.apiKey ?? undefined);
}

/**
 * Whether the preset says so, and its own server is called, where another may have chat completions alone. So has the
 * address of a single deployment.
 */
const hasResponses = ({ baseUrl }: ProviderSettings, preset: ProviderPreset): boolean =>
  preset.dialect?.hasResponses === true &&
  (baseUrl === undefined || (preset.baseUrl === null && !baseUrl.includes('{model}')));

/** Azure has keys, and so an identity only where one is asked for. */
function toCloud({ cloud = {}, apiKey }: ProviderSettings, preset: ProviderPreset | undefined, env: Environment) {
  const kind = preset?.cloud;
  if (kind === undefined || apiKey === null) return null;
  return { kind, ...cloud, ...placeOfCloud(kind, cloud, env) };
}

/** Whether the key in the environment may be used: not when a different server is at the address. */
export function takesKeyFromEnvironment(entry: ProviderSettings, preset: ProviderPreset): boolean {
  // Who names an identity does not mean a key.
  if (preset.cloud === 'azure' && entry.cloud !== undefined) return false;
  return preset.apiKeyEnv !== null && (entry.baseUrl === undefined || preset.baseUrl === null);
}

function presetKey(entry: ProviderSettings, preset: ProviderPreset | undefined, env: Environment): string | undefined {
  // At an address other than the preset's own there is a different server, which must not receive the key by default.
  return preset !== undefined && takesKeyFromEnvironment(entry, preset) ? keyOfPreset(preset, env) : undefined;
}
