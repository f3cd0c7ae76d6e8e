import {
  type ConfiguredModel,
  createProviderNames,
  findIncompleteParts,
  type ModelDefinition,
  type ProviderNames,
  type ProviderSettings,
  suggestName,
  type Wire,
} from '@model-gateway/core';

import { objectToUrl } from '../guarded/object-to-url.ts';
import type { ConfigIssue } from './config-error.ts';
import type { ConfigFile } from './config-schema.ts';
import { DEMO_KEY, DEMO_MANAGEMENT_KEY } from './demo-keys.ts';
import { addressOf, keyOf, type ProviderPreset, takesKeyFromEnvironment } from './provider-config.ts';
import type { Environment } from './resolve-secrets.ts';

/** An entry of a list with its place in the file, which counts entries that were left out, too. */
export interface Placed<T> {
  readonly index: number;
  readonly entry: T;
}

export interface ConfigCheck {
  readonly file: Omit<ConfigFile, 'providers' | 'models'>;
  readonly providers: readonly Placed<ProviderSettings>[];
  readonly models: readonly Placed<ConfiguredModel>[];
  /** The built-in models that these providers serve. */
  readonly served: readonly ModelDefinition[];
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
    ...checkRegions(check.file),
    ...checkRateLimits(check.file),
    ...checkDefaultCallbackUrl(check.file),
    ...checkProviderRules(check),
    ...check.providers.flatMap((placed) => checkProvider(placed, check)),
    ...findDuplicates(check.providers, ({ slug }) => slug, 'providers', 'slug'),
    ...check.models.flatMap((placed) => checkModel(placed, check)),
    ...findDuplicates(check.models, ({ id }) => id, 'models', 'id'),
  ];
}

/** Settings that are reserved for later versions. Ignoring one silently would mislead users who rely on it. */
function findUnavailable({ store, shared }: ConfigCheck['file']): ConfigIssue[] {
  const found: [boolean, string, string][] = [
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

/** A rule that limits nothing is a mistake. */
function checkRateLimits({ rateLimits }: ConfigCheck['file']): ConfigIssue[] {
  return rateLimits.flatMap(({ requestsPerMinute, tokensPerMinute }, index) =>
    requestsPerMinute === null && tokensPerMinute === null
      ? [{ path: `rateLimits[${index}]`, message: 'must have requestsPerMinute or tokensPerMinute' }]
      : [],
  );
}

/** The rule for the addresses that callers name: no webhook would ever reach any other. */
function checkDefaultCallbackUrl({ webhooks }: ConfigCheck['file']): ConfigIssue[] {
  const { defaultCallbackUrl: url, allowPrivateNetwork } = webhooks;
  const objection = url === null ? undefined : objectToUrl(url, { schemes: ['https'], allowPrivateNetwork });
  return objection === undefined ? [] : [{ path: 'webhooks.defaultCallbackUrl', message: objection }];
}

/** A host can only stand for one region. */
function checkRegions({ regions }: ConfigCheck['file']): ConfigIssue[] {
  const hosts = regions.flatMap((region, index) =>
    region.hosts.map((host, at) => ({ host: host.toLowerCase(), path: `regions[${index}].hosts[${at}]` })),
  );
  return hosts.flatMap(({ host, path }, index) => {
    const first = hosts.findIndex((other) => other.host === host);
    return first < index ? [{ path, message: `"${host}" stands in ${hosts[first]?.path} already` }] : [];
  });
}

/** A misspelt slug in these lists would send data where its owner does not want it. */
function checkProviderRules(check: ConfigCheck): ConfigIssue[] {
  const { file, slugs } = check;
  const names = namesOfProviders(check);
  return (['only', 'ignore'] as const).flatMap((list) =>
    file.account.providers[list].flatMap((name, index) => {
      // A tag may follow the name: `deepinfra/turbo`.
      if (names.isKnown(name) || names.isKnown(name.split('/')[0] ?? name)) return [];
      // A gateway gets it, and ignores that provider behind it.
      if (list === 'ignore' && names.hasGateway) return [];
      const near = suggestName(name, names.list());
      const hint = near === undefined ? '' : `. Did you mean "${near}"?`;
      const message = `"${name}" is no provider known here; there are: ${quote(slugs)}${hint}`;
      return [{ path: `account.providers.${list}[${index}]`, message }];
    }),
  );
}

/** The names of the providers in the file; of one with an error, its slug alone. */
function namesOfProviders({ providers, slugs, presets }: ConfigCheck): ProviderNames {
  const sound = providers.map(({ entry: { slug, name, preset = null } }) => {
    const facts = preset !== null && Object.hasOwn(presets, preset) ? presets[preset] : undefined;
    const gateway = facts?.dialect?.isGateway === true || undefined;
    return { slug, name: name ?? facts?.name ?? slug, preset, gateway };
  });
  const others = slugs.filter((slug) => !sound.some((provider) => provider.slug === slug));
  return createProviderNames([...sound, ...others.map((slug) => ({ slug, name: slug }))], [], presets);
}

function checkProvider({ index, entry }: Placed<ProviderSettings>, { presets, env }: ConfigCheck): ConfigIssue[] {
  const at = (field: string, message: string): ConfigIssue[] => [{ path: `providers[${index}]${field}`, message }];
  if (entry.preset === undefined) {
    if (entry.wire === undefined) return at('', 'needs a "preset", or a "wire" and a "baseUrl"');
    if (entry.baseUrl === undefined) return at('.baseUrl', 'is missing; a provider without a preset needs it');
    return checkAddress(entry, entry.wire, at);
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
  return [...checkAddress(entry, preset.wire, at), ...checkAgainstPreset(entry, preset, env, at)];
}

type IssueAt = (field: string, message: string) => ConfigIssue[];

/** Checks the settings of addresses that exist only on the OpenAI wire. */
function checkAddress({ baseUrl = '', query }: ProviderSettings, wire: Wire, at: IssueAt): ConfigIssue[] {
  if (wire === 'openai') return [];
  return [
    ...(baseUrl.includes('{model}') ? at('.baseUrl', `"{model}" means nothing to the wire "${wire}"`) : []),
    ...(Object.keys(query).length > 0 ? at('.query', `is not for the wire "${wire}"; remove it`) : []),
  ];
}

function checkAgainstPreset(
  entry: ProviderSettings,
  preset: ProviderPreset,
  env: Environment,
  at: IssueAt,
): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  if (entry.baseUrl === undefined && addressOf(preset, env) === undefined) {
    const { env: variable = '', example = '' } = preset.ownAddress ?? {};
    issues.push(
      ...at(
        '.baseUrl',
        `is missing, and ${variable} is not set to an address. Every customer of ${preset.name} has one of their own: "${example}"`,
      ),
    );
  }
  if (takesKeyFromEnvironment(entry, preset) && entry.apiKey === undefined && keyOf(preset, env) === undefined) {
    issues.push(
      ...at('.apiKey', `is missing, and ${preset.apiKeyEnv} is not set. Set one of them ("env:NAME" works here)`),
    );
  }
  if (entry.discoverModels && !preset.listsModels) {
    issues.push(
      ...at('.discoverModels', `must be false: ${preset.name} does not list what can be called. Name it in models`),
    );
  }
  return issues;
}

function checkModel({ index, entry }: Placed<ConfiguredModel>, { slugs, served }: ConfigCheck): ConfigIssue[] {
  const unknownProviders = (entry.endpoints ?? []).flatMap(({ provider }, endpoint) =>
    slugs.includes(provider)
      ? []
      : [{ path: `models[${index}].endpoints[${endpoint}].provider`, message: describeUnknownSlug(provider, slugs) }],
  );
  const builtIn = served.find(({ id }) => id === entry.id);
  const missing = findIncompleteParts(builtIn, entry).map(({ field, endpoint }) =>
    endpoint === null
      ? {
          path: `models[${index}].${field}`,
          message: `is missing, and no configured provider serves "${entry.id}" by itself: say who does`,
        }
      : {
          path: `models[${index}].endpoints[${endpoint}].${field}`,
          message: "is missing, and this is not built in: give the provider's own name of the model",
        },
  );
  return [...unknownProviders, ...missing];
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
