import { type ProviderConfig, type ProviderPreset, toProviderConfig } from './provider-config.ts';
import { providerSchema } from './config-schema.ts';
import { readVariable, type Environment } from './resolve-secrets.ts';

/** Customary key variables of providers whose wires come later: set, they would otherwise be passed over in silence. */
const LATER: Readonly<Record<string, string>> = {
  ANTHROPIC_API_KEY: 'anthropic',
  GEMINI_API_KEY: 'google',
  GOOGLE_API_KEY: 'google',
};

/**
 * Makes a provider of every preset whose customary key variable is set, each serving the models it names itself.
 * `warnings` names the variables that are set but of no use in this version.
 *
 * Only keys are read, no addresses: `OPENAI_BASE_URL` and its like often point applications at this very gateway.
 */
export function providersFromEnvironment(
  env: Environment,
  presets: Readonly<Record<string, ProviderPreset>>,
): { providers: ProviderConfig[]; warnings: string[] } {
  const providers = Object.entries(presets)
    .filter(([, { apiKeyEnv }]) => apiKeyEnv !== null && readVariable(env, apiKeyEnv) !== undefined)
    .map(([slug]) =>
      toProviderConfig(providerSchema.parse({ slug, preset: slug, discoverModels: true }), presets, env),
    );
  const warnings = Object.entries(LATER)
    .filter(([variable, preset]) => readVariable(env, variable) !== undefined && !Object.hasOwn(presets, preset))
    .map(([variable, preset]) => `${variable} is set, but provider "${preset}" is not available in this version`);
  return { providers, warnings };
}
