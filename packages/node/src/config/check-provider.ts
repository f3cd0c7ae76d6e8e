import { type ProviderSettings, suggestName, type Wire } from '@model-gateway/core';

import { addressOf, keyOf, type ProviderPreset, takesKeyFromEnvironment } from './provider-config.ts';
import type { Environment } from './resolve-secrets.ts';

/** Something that is wrong with a provider. */
export interface ProviderObjection {
  /** The field; empty for the provider as a whole. */
  readonly field: string;
  /** The mistake and how to correct it. Never holds a value that may be secret. */
  readonly message: string;
}

export interface ProviderCheck {
  readonly presets: Readonly<Record<string, ProviderPreset>>;
  /** Null where keys and addresses are not taken from the environment. */
  readonly env: Environment | null;
}

const objectTo = (field: string, message: string): ProviderObjection[] => [{ field, message }];

/** Finds what no single field of a provider shows: contradictions, and what its preset needs. */
export function checkProvider(entry: ProviderSettings, { presets, env }: ProviderCheck): ProviderObjection[] {
  if (entry.preset === undefined) {
    if (entry.wire === undefined) return objectTo('', 'needs a "preset", or a "wire" and a "baseUrl"');
    if (entry.baseUrl === undefined) return objectTo('baseUrl', 'is missing; a provider without a preset needs it');
    return checkAddress(entry, entry.wire);
  }
  if (entry.wire !== undefined) {
    return objectTo('wire', 'contradicts "preset", which decides the wire; remove one of them');
  }
  const preset = Object.hasOwn(presets, entry.preset) ? presets[entry.preset] : undefined;
  if (preset === undefined) return objectTo('preset', describeUnknownPreset(entry.preset, Object.keys(presets)));
  return [...checkAddress(entry, preset.wire), ...checkAgainstPreset(entry, preset, env)];
}

function describeUnknownPreset(name: string, known: readonly string[]): string {
  if (known.length === 0) {
    return 'no presets were given to loadConfig: hand in PRESETS of @model-gateway/core/providers/presets';
  }
  const near = suggestName(name, known);
  const hint = near === undefined ? '' : `. Did you mean "${near}"?`;
  const listed = known.map((preset) => `"${preset}"`).join(', ');
  return `"${name}" is not available in this version; this one has ${listed}${hint}`;
}

/** Checks the settings that exist only on the wires of OpenAI. */
function checkAddress({ baseUrl = '', query, responses }: ProviderSettings, wire: Wire): ProviderObjection[] {
  if (wire === 'openai') return [];
  const takesQuery = wire === 'openai-responses';
  return [
    ...(responses !== undefined ? objectTo('responses', `is not for the wire "${wire}"; remove it`) : []),
    ...(baseUrl.includes('{model}') ? objectTo('baseUrl', `"{model}" means nothing to the wire "${wire}"`) : []),
    ...(Object.keys(query).length > 0 && !takesQuery
      ? objectTo('query', `is not for the wire "${wire}"; remove it`)
      : []),
  ];
}

function checkAgainstPreset(
  entry: ProviderSettings,
  preset: ProviderPreset,
  env: Environment | null,
): ProviderObjection[] {
  const found: ProviderObjection[] = [];
  if (entry.baseUrl === undefined && addressOf(preset, env ?? {}) === undefined) {
    const { env: variable = '', example = '' } = preset.ownAddress ?? {};
    const unset = env === null ? '' : `, and ${variable} is not set to an address`;
    const why = `Every customer of ${preset.name} has one of their own: "${example}"`;
    found.push(...objectTo('baseUrl', `is missing${unset}. ${why}`));
  }
  const needsKey = takesKeyFromEnvironment(entry, preset) && entry.apiKey === undefined;
  if (needsKey && keyOf(preset, env ?? {}) === undefined) {
    const message =
      env === null
        ? `is missing: ${preset.name} wants a key`
        : `is missing, and ${preset.apiKeyEnv} is not set. Set one of them ("env:NAME" works here)`;
    found.push(...objectTo('apiKey', message));
  }
  if (entry.discoverModels && !preset.listsModels) {
    found.push(
      ...objectTo(
        'discoverModels',
        `must be false: ${preset.name} does not list what can be called. Name it in models`,
      ),
    );
  }
  return found;
}
