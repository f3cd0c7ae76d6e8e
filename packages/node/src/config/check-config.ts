import type { ModelDefinition } from '@model-gateway/core';

import type { ConfigIssue } from './config-error.ts';
import type { ConfigFile, ProviderEntry } from './config-schema.ts';
import { DEMO_KEY, DEMO_MANAGEMENT_KEY } from './demo-keys.ts';
import type { ProviderPreset } from './provider-config.ts';
import { readVariable, type Environment } from './resolve-secrets.ts';
import { suggestName } from './suggest-name.ts';

/** An entry of a list with its place in the file, which counts entries that were left out, too. */
export interface Placed<T> {
  readonly index: number;
  readonly entry: T;
}

export interface ConfigCheck {
  readonly file: Omit<ConfigFile, 'providers' | 'models'>;
  readonly providers: readonly Placed<ProviderEntry>[];
  readonly models: readonly Placed<ModelDefinition>[];
  /** Slugs of all providers, of those with errors too, so that one mistake is not reported twice. */
  readonly slugs: readonly string[];
  readonly presets: Readonly<Record<string, ProviderPreset>>;
  readonly env: Environment;
}

const quote = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ') || 'none';

/** Finds what no single field shows: references, duplicates, contradictions, and what this version lacks. */
export function checkConfig(check: ConfigCheck): ConfigIssue[] {
  return [
    ...findUnavailable(check.file),
    ...checkBootstrapKeys(check.file),
    ...checkProviderRules(check),
    ...check.providers.flatMap((placed) => checkProvider(placed, check)),
    ...findDuplicates(check.providers, ({ slug }) => slug, 'providers', 'slug'),
    ...check.models.flatMap((placed) => checkModel(placed, check.slugs)),
    ...findDuplicates(check.models, ({ id }) => id, 'models', 'id'),
  ];
}

/** Settings that later versions keep. Ignoring one would mislead whoever relies on it. */
function findUnavailable({ regions, rateLimits, account, store, shared }: ConfigCheck['file']): ConfigIssue[] {
  const found: [boolean, string, string][] = [
    [regions.length > 0, 'regions', 'remove this section'],
    [rateLimits.length > 0, 'rateLimits', 'remove this section'],
    [account.creditsUsd !== null, 'account.creditsUsd', 'a spending limit would not be kept; set it to null'],
    [store.type === 'postgres', 'store.type', '"postgres" cannot be chosen; use "json" or "memory"'],
    [shared.type === 'redis', 'shared.type', '"redis" cannot be chosen; use "memory"'],
  ];
  return found
    .filter(([isFound]) => isFound)
    .map(([, path, fix]) => ({ path, message: `is not available in this version: ${fix}` }));
}

function checkBootstrapKeys({ auth }: ConfigCheck['file']): ConfigIssue[] {
  return auth.bootstrapKeys.flatMap(({ key }, index) => {
    const path = `auth.bootstrapKeys[${index}].key`;
    if (key === DEMO_KEY || key === DEMO_MANAGEMENT_KEY) {
      return [{ path, message: 'is the public key of demo mode, which anybody knows; choose another' }];
    }
    const first = auth.bootstrapKeys.findIndex((other) => other.key === key);
    return first < index ? [{ path, message: `is the same key as auth.bootstrapKeys[${first}].key` }] : [];
  });
}

/** A misspelt slug in these lists would send data where its owner does not want it. */
function checkProviderRules({ file, slugs }: ConfigCheck): ConfigIssue[] {
  return (['only', 'ignore'] as const).flatMap((list) =>
    file.account.providers[list].flatMap((name, index) =>
      // A tag may follow the slug: `deepinfra/turbo`.
      slugs.includes(name.split('/')[0] ?? name)
        ? []
        : [{ path: `account.providers.${list}[${index}]`, message: describeUnknownSlug(name, slugs) }],
    ),
  );
}

function checkProvider({ index, entry }: Placed<ProviderEntry>, { presets, env }: ConfigCheck): ConfigIssue[] {
  const at = (field: string, message: string): ConfigIssue[] => [{ path: `providers[${index}]${field}`, message }];
  if (entry.preset === undefined) {
    if (entry.wire === undefined) return at('', 'needs a "preset", or a "wire" and a "baseUrl"');
    if (entry.wire !== 'openai') {
      return at('.wire', `"${entry.wire}" is not available in this version; this one has "openai"`);
    }
    return entry.baseUrl === undefined ? at('.baseUrl', 'is missing; a provider without a preset needs it') : [];
  }
  if (entry.wire !== undefined) return at('.wire', 'contradicts "preset", which decides the wire; remove one of them');
  const preset = Object.hasOwn(presets, entry.preset) ? presets[entry.preset] : undefined;
  if (preset === undefined) {
    const known = Object.keys(presets);
    if (known.length === 0) {
      return at(
        '.preset',
        'no presets were given to loadConfig: hand in PRESETS of @model-gateway/core/providers/presets',
      );
    }
    const near = suggestName(entry.preset, known);
    const hint = near === undefined ? '' : `. Did you mean "${near}"?`;
    return at('.preset', `"${entry.preset}" is not available in this version; this one has ${quote(known)}${hint}`);
  }
  const isKeyExpected = preset.apiKeyEnv !== null && entry.apiKey === undefined && entry.baseUrl === undefined;
  if (!isKeyExpected || readVariable(env, preset.apiKeyEnv) !== undefined) return [];
  return at('.apiKey', `is missing, and ${preset.apiKeyEnv} is not set. Set one of them ("env:NAME" works here)`);
}

function checkModel({ index, entry }: Placed<ModelDefinition>, slugs: readonly string[]): ConfigIssue[] {
  return entry.endpoints.flatMap(({ provider }, endpoint) =>
    slugs.includes(provider)
      ? []
      : [{ path: `models[${index}].endpoints[${endpoint}].provider`, message: describeUnknownSlug(provider, slugs) }],
  );
}

function describeUnknownSlug(name: string, slugs: readonly string[]): string {
  const near = suggestName(name, slugs);
  const hint = near === undefined ? '' : `. Did you mean "${near}"?`;
  return `"${name}" is not the slug of a configured provider; there are: ${quote(slugs)}${hint}`;
}

function findDuplicates<T>(
  list: readonly Placed<T>[],
  nameOf: (entry: T) => string,
  section: string,
  field: string,
): ConfigIssue[] {
  const firstIndex = new Map<string, number>();
  return list.flatMap(({ index, entry }) => {
    const name = nameOf(entry);
    const first = firstIndex.get(name);
    if (first === undefined) firstIndex.set(name, index);
    return first === undefined
      ? []
      : [{ path: `${section}[${index}].${field}`, message: `"${name}" stands in ${section}[${first}] already` }];
  });
}
