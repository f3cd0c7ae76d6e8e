import type { DataPolicy } from '@model-gateway/core';

import type { ProviderEntry } from './config-schema.ts';
import { readVariable, type Environment } from './resolve-secrets.ts';

/** What this room needs to know of a preset; core's `PRESETS` fit it. */
export interface ProviderPreset {
  readonly wire: 'openai';
  readonly name: string;
  readonly baseUrl: string;
  /** Null where no key is needed. */
  readonly apiKeyEnv: string | null;
  readonly dataPolicy: DataPolicy;
}

/** A provider ready to be created. */
export interface ProviderConfig {
  readonly slug: string;
  readonly name: string;
  /** The preset it came from, for what only the composition root can look up (the dialect); null without one. */
  readonly preset: string | null;
  readonly wire: 'openai';
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly dataPolicy: DataPolicy | undefined;
  readonly region: string | undefined;
  readonly byok: boolean;
  readonly discoverModels: boolean;
}

/** Fills an entry in from its preset. Expects what `checkConfig` has passed; throws otherwise. */
export function toProviderConfig(
  entry: ProviderEntry,
  presets: Readonly<Record<string, ProviderPreset>>,
  env: Environment,
): ProviderConfig {
  const preset = entry.preset === undefined ? undefined : presets[entry.preset];
  const baseUrl = entry.baseUrl ?? preset?.baseUrl;
  if (baseUrl === undefined) throw new Error(`provider ${entry.slug} has no address`);
  return {
    slug: entry.slug,
    name: entry.name ?? preset?.name ?? entry.slug,
    preset: entry.preset ?? null,
    wire: 'openai',
    baseUrl: baseUrl.replace(/\/+$/, ''),
    apiKey: entry.apiKey === undefined ? presetKey(entry, preset, env) : (entry.apiKey ?? undefined),
    headers: entry.headers,
    dataPolicy: entry.dataPolicy ?? preset?.dataPolicy,
    region: entry.region,
    byok: entry.byok,
    discoverModels: entry.discoverModels,
  };
}

function presetKey(entry: ProviderEntry, preset: ProviderPreset | undefined, env: Environment): string | undefined {
  // At another address than the preset's own stands somebody else, who must not be sent its key unasked.
  if (entry.baseUrl !== undefined || preset === undefined || preset.apiKeyEnv === null) return undefined;
  return readVariable(env, preset.apiKeyEnv);
}
