import {
  addressOfPreset,
  type Cloud,
  type ConfiguredModel,
  createProviderNames,
  describeMissingAddress,
  type Environment,
  findModelProblems,
  keyOfPreset,
  type ModelDefinition,
  type ProviderNames,
  type ProviderSettings,
  suggestName,
  type Wire,
} from '@model-gateway/core';

import { findUrlProblem } from '../guarded/public-addresses.ts';
import { type ConfigIssue, toPathText } from './config-errors.ts';
import type { ConfigFile } from './config-schema.ts';
import { isOfPackage } from './package-config.ts';
import { type ProviderPreset, takesKeyFromEnvironment } from './provider-config.ts';

/** The key of demo mode. Public, so nothing else accepts it. */
export const DEMO_KEY = 'sk-gw-v1-demo';
/** The management key of demo mode. Public, so nothing else accepts it. */
export const DEMO_MANAGEMENT_KEY = 'sk-gw-v1-demo-management';

/** An entry of a list with its place in the file, which counts entries that were left out, too. */
export interface Placed<T> {
  readonly index: number;
  readonly entry: T;
}

interface ConfigCheck {
  readonly file: Omit<ConfigFile, 'providers' | 'models'>;
  readonly providers: readonly Placed<ConfigFile['providers'][number]>[];
  readonly models: readonly Placed<ConfiguredModel>[];
  /** The built-in models that these providers serve. */
  readonly served: readonly ModelDefinition[];
  /** Slugs of all providers, of those with errors too, so that one mistake is not reported twice. */
  readonly slugs: readonly string[];
  readonly presets: Readonly<Record<string, ProviderPreset>>;
  readonly env: Environment;
}

const quote = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ') || 'none';

const hintAt = (name: string, known: readonly string[]): string => {
  const near = suggestName(name, known);
  return near === undefined ? '' : `. Did you mean "${near}"?`;
};

const findPreset = (presets: Readonly<Record<string, ProviderPreset>>, name = ''): ProviderPreset | undefined =>
  Object.hasOwn(presets, name) ? presets[name] : undefined;

/** Finds what no single field shows: references, duplicates, contradictions. */
export function checkConfig(check: ConfigCheck): ConfigIssue[] {
  return [
    ...checkBootstrapKeys(check.file),
    ...checkRegions(check.file),
    ...checkRateLimits(check.file),
    ...checkScimToken(check.file),
    ...checkNotifications(check.file),
    ...checkDefaultCallbackUrl(check.file),
    ...checkProviderRules(check),
    ...check.providers.flatMap((placed) => checkPlacedProvider(placed, check)),
    ...findDuplicates(check.providers, ({ slug }) => slug, 'providers', 'slug'),
    ...findDuplicates(placeAll(check.file.guardrails.filters), ({ slug }) => slug, 'guardrails.filters', 'slug'),
    ...findDuplicates(placeAll(check.file.destinations), ({ slug }) => slug, 'destinations', 'slug'),
    ...check.models.flatMap((placed) => checkModel(placed, check)),
    ...findDuplicates(check.models, ({ id }) => id, 'models', 'id'),
  ];
}

const placeAll = <T>(entries: readonly T[]): Placed<T>[] => entries.map((entry, index) => ({ entry, index }));

function checkBootstrapKeys({ auth }: ConfigCheck['file']): ConfigIssue[] {
  return auth.bootstrapKeys.flatMap(({ key }, index) => {
    const path = `auth.bootstrapKeys[${index}].key`;
    if (key === DEMO_KEY || key === DEMO_MANAGEMENT_KEY) {
      return [{ path, message: 'is the public key of demo mode; choose another' }];
    }
    const first = auth.bootstrapKeys.findIndex((other) => other.key === key);
    return first < index ? [{ path, message: `is the same key as auth.bootstrapKeys[${first}].key` }] : [];
  });
}

const MIN_SCIM_TOKEN = 16;
/** The gateway reads no longer ones from a request. */
const MAX_SCIM_TOKEN = 512;

/** Whoever guesses it adds and removes people. What a reference leads to is looked at, or told to be missing. */
function checkScimToken({ scim: { token } }: ConfigCheck['file']): ConfigIssue[] {
  if (token === null || /^(?:env|file):/.test(token)) return [];
  const problems = [
    ...(token.length < MIN_SCIM_TOKEN ? [`must have at least ${MIN_SCIM_TOKEN} characters`] : []),
    ...(token.length > MAX_SCIM_TOKEN ? [`must have at most ${MAX_SCIM_TOKEN} characters`] : []),
    ...(/[^\x21-\x7E]/.test(token) ? ['must be in ASCII without spaces, as it is sent in a header'] : []),
  ];
  return problems.map((message) => ({ path: 'scim.token', message }));
}

function checkNotifications({ store, shared }: ConfigCheck['file']): ConfigIssue[] {
  if (store.type !== 'postgres' || store.notifications !== 'redis' || shared.type === 'redis') return [];
  const message = 'redis needs an address: "shared": { "type": "redis", "url": "env:REDIS_URL" }';
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
  const problem = url === null ? undefined : findUrlProblem(url, { schemes: ['https'], allowPrivateNetwork });
  return problem === undefined ? [] : [{ path: 'webhooks.defaultCallbackUrl', message: problem }];
}

/** A host can only stand for one region. */
function checkRegions({ regions }: ConfigCheck['file']): ConfigIssue[] {
  const hosts = regions.flatMap((region, index) =>
    region.hosts.map((host, at) => ({ host: host.toLowerCase(), path: `regions[${index}].hosts[${at}]` })),
  );
  return hosts.flatMap(({ host, path }, index) => {
    const first = hosts.findIndex((other) => other.host === host);
    return first < index ? [{ path, message: `"${host}" is in ${hosts[first]?.path} already` }] : [];
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
      const message = `"${name}" is not a known provider; known are: ${quote(slugs)}${hintAt(name, names.list())}`;
      return [{ path: `${list}[${index}]`, message }];
    }),
  );
}

/** The names of the providers in the file; of one with an error, its slug alone. */
function namesOfProviders({ providers, slugs, presets }: ConfigCheck): ProviderNames {
  const sound = providers.map(({ entry: { slug, name, preset } }) => {
    const facts = findPreset(presets, preset);
    const gateway = facts?.dialect?.isGateway === true || undefined;
    return { slug, name: name ?? facts?.name ?? slug, preset: preset ?? null, gateway };
  });
  const others = slugs.filter((slug) => !sound.some((provider) => provider.slug === slug));
  return createProviderNames([...sound, ...others.map((slug) => ({ slug, name: slug }))], [], presets);
}

function checkPlacedProvider(
  { index, entry: { module, options, ...entry } }: Placed<ConfigFile['providers'][number]>,
  check: ConfigCheck,
): ConfigIssue[] {
  const problems = module === undefined ? checkMadeHere(entry, options, check) : checkMadeByModule(entry);
  return problems.map(({ field, message }) => ({
    path: toPathText(['providers', index, ...(field === '' ? [] : [field])]),
    message,
  }));
}

function checkMadeHere(
  entry: ProviderSettings,
  options: Readonly<Record<string, unknown>>,
  check: ConfigCheck,
): ProviderProblem[] {
  if (isOfPackage(entry)) return checkPackage({ ...entry, options }, check);
  const has = Object.keys(options).length > 0;
  const odd = has ? problemAt('options', 'is for a "module" or a "package" alone; remove it') : [];
  return [...odd, ...checkProvider(entry, check)];
}

/** Fields that the gateway itself would use to make a provider. */
const OF_WIRES = [
  'name',
  'preset',
  'wire',
  'package',
  'factory',
  'baseUrl',
  'apiKey',
  'apiKeys',
  'cloud',
  'dataPolicy',
  'responses',
  'region',
  'batches',
  'batchPriceShare',
] as const;

/** The code decides on everything, so that no field may say otherwise. */
function checkMadeByModule(entry: ProviderSettings): ProviderProblem[] {
  const { query, headers, byok, discoverModels } = entry;
  const given: readonly string[] = [
    ...OF_WIRES.filter((field) => entry[field] !== undefined),
    ...Object.entries({ query, headers }).flatMap(([field, value]) => (Object.keys(value).length > 0 ? [field] : [])),
    ...Object.entries({ byok, discoverModels }).flatMap(([field, value]) => (value ? [field] : [])),
  ];
  return given.flatMap((field) =>
    problemAt(field, 'is not for a provider that a "module" makes: hand it over in "options"'),
  );
}

/** The providers whose wire makes the name of a model a part of the address. */
function findPathSlugs({ providers, presets }: ConfigCheck): ReadonlySet<string> {
  const found = providers.filter(({ entry: { wire, preset, baseUrl } }) => {
    const facts = findPreset(presets, preset);
    const spoken = wire ?? facts?.wire;
    const address = baseUrl ?? facts?.baseUrl ?? facts?.ownAddress?.example ?? '';
    return spoken === 'google' || spoken === 'fal' || spoken === 'bedrock' || address.includes('{model}');
  });
  return new Set(found.map(({ entry }) => entry.slug));
}

function checkModel({ index, entry }: Placed<ConfiguredModel>, check: ConfigCheck): ConfigIssue[] {
  const configured = check.models.map((placed) => placed.entry);
  return findModelProblems(entry, { ...check, configured, pathSlugs: findPathSlugs(check) }).map(
    ({ keys, message }) => ({
      path: toPathText(['models', index, ...keys]),
      message,
    }),
  );
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
      : [{ path: `${section}[${index}].${field}`, message: `"${name}" is in ${section}[${first}] already` }];
  });
}

/** Something that is wrong with a provider. */
export interface ProviderProblem {
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

const problemAt = (field: string, message: string): ProviderProblem[] => [{ field, message }];

/** Finds what no single field of a provider shows: contradictions, and what its preset needs. */
export function checkProvider(entry: ProviderSettings, { presets, env }: ProviderCheck): ProviderProblem[] {
  if (isOfPackage(entry)) return checkPackage(entry, { env });
  const ofPackages = (['factory', 'options'] as const).find((field) => entry[field] !== undefined);
  if (ofPackages !== undefined) return problemAt(ofPackages, 'is for a "package" alone; remove it');
  if (entry.preset === undefined) {
    if (entry.wire === undefined) return problemAt('', 'needs a "preset", a "package", or a "wire" and a "baseUrl"');
    if (entry.baseUrl === undefined) return problemAt('baseUrl', 'is missing; a provider without a preset needs it');
    return checkAddress(entry, entry.wire);
  }
  if (entry.wire !== undefined) {
    return problemAt('wire', 'contradicts "preset", which decides the wire; remove one of them');
  }
  const preset = findPreset(presets, entry.preset);
  if (preset === undefined) return problemAt('preset', describeUnknownPreset(entry.preset, Object.keys(presets)));
  return [...checkAddress(entry, preset.wire), ...checkAgainstPreset(entry, preset, env)];
}

/** Fields that a package of the AI SDK knows nothing of. */
const NOT_OF_PACKAGES = ['preset', 'wire', 'apiKeys', 'responses', 'batches', 'batchPriceShare'] as const;

/**
 * A package finds its key in the environment by itself. That is the operator's, and not the one of whoever sets a provider
 * up through the API, who could have it sent to an address of their own.
 */
function checkPackage(entry: ProviderSettings, { env }: Pick<ProviderCheck, 'env'>): ProviderProblem[] {
  const odd: readonly string[] = [
    ...NOT_OF_PACKAGES.filter((field) => entry[field] !== undefined),
    ...(Object.keys(entry.query).length > 0 ? ['query'] : []),
  ];
  return [
    ...odd.flatMap((field) => problemAt(field, 'is not for a provider that a "package" calls; remove it')),
    ...(entry.discoverModels
      ? problemAt('discoverModels', 'must be false: packages list no models. Name them in models')
      : []),
    ...(env === null && entry.apiKey === undefined
      ? problemAt('apiKey', 'is missing: a package that is set up here gets no key from the environment')
      : []),
  ];
}

function describeUnknownPreset(name: string, known: readonly string[]): string {
  if (known.length === 0) {
    return 'no presets were given to loadConfig: hand in PRESETS of @model-gateway/core/providers/presets';
  }
  return `"${name}" is not available in this version; this one has ${quote(known)}${hintAt(name, known)}`;
}

/** Checks the settings that exist only on the wires of OpenAI. */
function checkAddress({ baseUrl = '', query, responses }: ProviderSettings, wire: Wire): ProviderProblem[] {
  if (wire === 'openai') return [];
  const takesQuery = wire === 'openai-responses';
  return [
    ...(responses !== undefined ? problemAt('responses', `is not for the wire "${wire}"; remove it`) : []),
    ...(baseUrl.includes('{model}') ? problemAt('baseUrl', `"{model}" is not supported by the wire "${wire}"`) : []),
    ...(Object.keys(query).length > 0 && !takesQuery
      ? problemAt('query', `is not for the wire "${wire}"; remove it`)
      : []),
  ];
}

/** Fields of `cloud`, by the clouds that have them. */
const CLOUD_FIELDS: Readonly<Record<Cloud, readonly string[]>> = {
  aws: ['region', 'profile', 'roleArn', 'externalId'],
  google: ['region', 'project', 'keyFile'],
  azure: ['clientId', 'tenantId'],
};

/** An identity is this machine's, so that whoever sets providers up over HTTP cannot use it. */
function checkCloud({ cloud, apiKey }: ProviderSettings, preset: ProviderPreset, env: Environment | null) {
  if (env === null && (cloud !== undefined || preset.cloud === 'google')) {
    return problemAt('cloud', 'is for config files alone: the identity is that of the machine of the gateway');
  }
  if (cloud === undefined) return [];
  const { cloud: kind, name } = preset;
  if (kind === undefined) return problemAt('cloud', `is not for ${name}; remove it`);
  if (kind === 'azure' && typeof apiKey === 'string') {
    return problemAt('cloud', 'contradicts "apiKey": it is called either by an identity or with a key');
  }
  return Object.keys(cloud)
    .filter((field) => !CLOUD_FIELDS[kind].includes(field))
    .flatMap((field) => problemAt(`cloud.${field}`, `is not for ${name}; there are ${quote(CLOUD_FIELDS[kind])}`));
}

function describeNoAddress(preset: ProviderPreset, env: Environment | null): [field: string, message: string] {
  const { cloud, name, ownAddress } = preset;
  if (env !== null && (cloud === 'aws' || cloud === 'google')) {
    return ['cloud', `does not say where; ${name} needs ${describeMissingAddress(preset, { hasConfig: true })}`];
  }
  const { env: variable = '', example = '' } = ownAddress ?? {};
  const unset = env === null ? '' : `, and ${variable} is not set to an address`;
  return ['baseUrl', `is missing${unset}. Every customer of ${name} has one of their own: "${example}"`];
}

function checkAgainstPreset(
  entry: ProviderSettings,
  preset: ProviderPreset,
  env: Environment | null,
): ProviderProblem[] {
  const found = checkCloud(entry, preset, env);
  if (entry.baseUrl === undefined && addressOfPreset(preset, env ?? {}, entry.cloud) === undefined) {
    found.push(...problemAt(...describeNoAddress(preset, env)));
  }
  const isByIdentity = env !== null && (preset.cloud === 'aws' || preset.cloud === 'google');
  const hasKey = entry.apiKey !== undefined || (entry.apiKeys ?? []).length > 0;
  const needsKey = takesKeyFromEnvironment(entry, preset) && !hasKey && !isByIdentity;
  if (needsKey && keyOfPreset(preset, env ?? {}) === undefined) {
    const message =
      env === null
        ? `is missing: ${preset.name} requires a key`
        : `is missing, and ${preset.apiKeyEnv} is not set. Set one of them ("env:NAME" works here)`;
    found.push(...problemAt('apiKey', message));
  }
  if (entry.discoverModels && !preset.listsModels) {
    found.push(
      ...problemAt('discoverModels', `must be false: ${preset.name} does not list its models. Name them in models`),
    );
  }
  return found;
}
