import {
  type ConfiguredModel,
  createProviderNames,
  type ModelDefinition,
  objectToModel,
  type ProviderNames,
  type ProviderSettings,
  suggestName,
} from '@model-gateway/core';

import { objectToUrl } from '../guarded/object-to-url.ts';
import { checkProvider } from './check-provider.ts';
import { type ConfigIssue, toPathText } from './config-error.ts';
import type { ConfigFile } from './config-schema.ts';
import { DEMO_KEY, DEMO_MANAGEMENT_KEY } from './demo-keys.ts';
import type { ProviderPreset } from './provider-config.ts';
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

/** Finds what no single field shows: references, duplicates, contradictions. */
export function checkConfig(check: ConfigCheck): ConfigIssue[] {
  return [
    ...checkBootstrapKeys(check.file),
    ...checkRegions(check.file),
    ...checkRateLimits(check.file),
    ...checkNotifications(check.file),
    ...checkDefaultCallbackUrl(check.file),
    ...checkProviderRules(check),
    ...check.providers.flatMap((placed) => checkPlacedProvider(placed, check)),
    ...findDuplicates(check.providers, ({ slug }) => slug, 'providers', 'slug'),
    ...check.models.flatMap((placed) => checkModel(placed, check)),
    ...findDuplicates(check.models, ({ id }) => id, 'models', 'id'),
  ];
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

function checkNotifications({ store, shared }: ConfigCheck['file']): ConfigIssue[] {
  if (store.type !== 'postgres' || store.notifications !== 'redis' || shared.type === 'redis') return [];
  const message = 'redis needs the address of one: "shared": { "type": "redis", "url": "env:REDIS_URL" }';
  return [{ path: 'store.notifications', message }];
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
  const { providers } = file.account;
  const lists = [
    ['account.providers.only', providers?.only],
    ['account.providers.ignore', providers?.ignore],
    ['routing.order', file.routing.order],
  ] as const;
  return lists.flatMap(([list, given = []]) =>
    given.flatMap((name, index) => {
      // A tag may follow the name: `deepinfra/turbo`.
      if (names.isKnown(name) || names.isKnown(name.split('/')[0] ?? name)) return [];
      // A gateway gets it, and heeds it for the providers behind it.
      if (list !== 'account.providers.only' && names.hasGateway) return [];
      const near = suggestName(name, names.list());
      const hint = near === undefined ? '' : `. Did you mean "${near}"?`;
      const message = `"${name}" is no provider known here; there are: ${quote(slugs)}${hint}`;
      return [{ path: `${list}[${index}]`, message }];
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

function checkPlacedProvider({ index, entry }: Placed<ProviderSettings>, check: ConfigCheck): ConfigIssue[] {
  return checkProvider(entry, check).map(({ field, message }) => ({
    path: toPathText(['providers', index, ...(field === '' ? [] : [field])]),
    message,
  }));
}

/** The providers whose wire makes the name of a model a part of the address. */
function findPathSlugs({ providers, presets }: ConfigCheck): ReadonlySet<string> {
  const found = providers.filter(({ entry: { wire, preset = '', baseUrl } }) => {
    const facts = Object.hasOwn(presets, preset) ? presets[preset] : undefined;
    const spoken = wire ?? facts?.wire;
    const address = baseUrl ?? facts?.baseUrl ?? facts?.ownAddress?.example ?? '';
    return spoken === 'google' || spoken === 'fal' || address.includes('{model}');
  });
  return new Set(found.map(({ entry }) => entry.slug));
}

function checkModel({ index, entry }: Placed<ConfiguredModel>, check: ConfigCheck): ConfigIssue[] {
  const configured = check.models.map((placed) => placed.entry);
  return objectToModel(entry, { ...check, configured, pathSlugs: findPathSlugs(check) }).map(({ keys, message }) => ({
    path: toPathText(['models', index, ...keys]),
    message,
  }));
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
