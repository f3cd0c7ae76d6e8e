import { providerSettingsSchema } from '@model-gateway/core';

import { addressOf, keyOf, type ProviderConfig, type ProviderPreset, toProviderConfig } from './provider-config.ts';
import type { Environment } from './resolve-secrets.ts';

/**
 * Makes a provider of every preset whose key variable is set, with the models it lists, if any. `warnings` names
 * unusable variables. Addresses are read only for presets without one: `OPENAI_BASE_URL` often points at this gateway.
 */
export function providersFromEnvironment(
  env: Environment,
  presets: Readonly<Record<string, ProviderPreset>>,
): { providers: ProviderConfig[]; warnings: string[] } {
  const providers: ProviderConfig[] = [];
  const warnings: string[] = [];
  for (const [name, preset] of Object.entries(presets)) {
    if (keyOf(preset, env) === undefined) continue;
    if (addressOf(preset, env) === undefined) {
      const { env: variable = '', example = '' } = preset.ownAddress ?? {};
      warnings.push(
        `${preset.apiKeyEnv} is set, but ${variable} is not, or is no address; it should be like ${example}`,
      );
      continue;
    }
    const slug = preset.slug ?? name;
    const entry = providerSettingsSchema.parse({ slug, preset: name, discoverModels: preset.listsModels });
    providers.push(toProviderConfig(entry, presets, env));
  }
  return { providers, warnings };
}
