import { providerSettingsSchema } from '@model-gateway/core';

import { addressOf, keyOf, type ProviderConfig, type ProviderPreset, toProviderConfig } from './provider-config.ts';
import type { Environment } from './resolve-secrets.ts';

/**
 * Makes a provider of every preset whose customary key variable is set, each serving the models it names itself where
 * it names any. `warnings` names the variables that are set but of no use by themselves.
 *
 * Addresses are read only where a provider has none of its own: `OPENAI_BASE_URL` and its like often point
 * applications at this very gateway.
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
