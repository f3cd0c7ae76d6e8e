import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import {
  addressOfPreset,
  checkWith,
  type ConfiguredModel,
  type Environment,
  keyOfPreset,
  type ModelDefinition,
  overrideModels,
  pickServedModels,
} from '@model-gateway/core';
import type * as z from '@model-gateway/core/foundation/zod';
import { providerSettingsSchema } from '@model-gateway/core/setup';

import { checkCatalogSource, listUnknownSources, toCatalog } from './catalog-source.ts';
import { checkConfig, type Placed } from './check-config.ts';
import { ConfigError, type ConfigIssue, describeSchemaIssue } from './config-errors.ts';
import { type ConfigFile, configSchema } from './config-schema.ts';
import { findJsonError, findJsonPlaces, type JsonPlaces } from './json-text.ts';
import { type ModuleConfig, toModuleConfig } from './module-config.ts';
import { type NamedTree, readOtherNames } from './other-names.ts';
import { isOfPackage, type PackageConfig, toPackageConfig } from './package-config.ts';
import { type ProviderConfig, type ProviderPreset, toProviderConfig } from './provider-config.ts';
import { resolveSecrets } from './resolve-secrets.ts';

/** Values from the command line that override the config file. */
export interface ConfigFlags {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Relative to the working directory, unlike `store.dir` in a file. */
  readonly dataDir?: string | undefined;
}

export interface LoadConfigOptions {
  /** Without one, providers come from the well-known environment variables. */
  readonly file?: string | undefined;
  readonly env: Environment;
  readonly flags?: ConfigFlags | undefined;
  /** The presets that `preset` may name: `PRESETS` of `@model-gateway/core/providers/presets`. Default: none. */
  readonly presets?: Readonly<Record<string, ProviderPreset>> | undefined;
  /**
   * Models that providers serve without configuration, by preset: `BUILT_IN_MODELS` of
   * `@model-gateway/core/catalog/built-in-models`. Default: none.
   */
  readonly builtInModels?: readonly ModelDefinition[] | undefined;
}

/** A configuration ready for use: checked, defaults filled in, secrets read, paths absolute. Holds secrets. */
export interface GatewayConfig extends Omit<
  ConfigFile,
  '$schema' | 'providers' | 'models' | 'guardrails' | 'destinations'
> {
  /** `none`: there is no file, and no variable names a provider. */
  readonly origin: 'file' | 'environment' | 'none';
  /** Absolute. */
  readonly file: string | null;
  readonly providers: readonly ProviderConfig[];
  /** Providers that code of the operator's own makes. */
  readonly providerModules: readonly ModuleConfig[];
  /** Providers that packages of the AI SDK call. */
  readonly providerPackages: readonly PackageConfig[];
  readonly guardrails: { readonly filters: readonly ModuleConfig[] };
  readonly destinations: readonly ModuleConfig[];
  /** Secrets among the options of modules. */
  readonly optionSecrets: readonly string[];
  /** The models of the file, laid over the built-in ones that the providers serve. */
  readonly models: readonly ModelDefinition[];
  /** The models of the file, as they stand there. */
  readonly configuredModels: readonly ConfiguredModel[];
  /** Settings that are allowed but probably a mistake. */
  readonly warnings: readonly string[];
}

/** Reads and checks a configuration. Throws `ConfigError` with everything that is wrong in it, not just the first. */
export function loadConfig(options: LoadConfigOptions): GatewayConfig {
  const { file, env, flags = {}, presets = {}, builtInModels = [] } = options;
  if (file === undefined) {
    const { providers, warnings } = providersFromEnvironment(env, presets);
    const origin = providers.length > 0 ? 'environment' : 'none';
    const models = pickServedModels(builtInModels, providers);
    warnings.push(...listWarnings(providers, models));
    const facts = { origin, file: null, providers, models, configuredModels: [], warnings, ...NO_MODULES } as const;
    return toGatewayConfig(configSchema.parse({}), facts, flags);
  }
  const path = resolve(file);
  const { value, places } = readJson(path);
  const named = readOtherNames(value, places.lineOf);
  const { tree, issues, warnings: odd, optionSecrets } = resolveSecrets(named.tree, { env, dir: dirname(path) });
  issues.push(...named.issues);
  const toError = (): ConfigError => new ConfigError(path, withLines(toWrittenIssues(issues, named), places));
  const unresolved = new Set(issues.map((issue) => issue.path));
  const parsed = checkWith(configSchema, tree);
  const broken = parsed.error?.issues ?? [];
  const described = broken.flatMap((issue) => describeSchemaIssue(issue, configSchema, tree));
  // The form of a reference is not that of the secret.
  issues.push(...described.filter((issue) => !unresolved.has(issue.path)));
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree)) throw toError();

  const sound = takeSoundParts(tree as Record<string, unknown>, broken);
  const slugs = listSlugs((tree as Record<string, unknown>)['providers']);
  const served = pickServedModels(
    builtInModels,
    sound.providers.map(({ entry: { slug, preset = null } }) => ({ slug, preset })),
  );
  const { update } = sound.file.catalog;
  const around = { slugs, dir: dirname(path) };
  issues.push(...checkConfig({ ...sound, slugs, served, presets, env }), ...checkCatalogSource(update, around));
  if (issues.length > 0) throw toError();

  const providers = sound.providers
    .filter(({ entry }) => entry.module === undefined && !isOfPackage(entry))
    .map(({ entry }) => toProviderConfig(entry, presets, env));
  const providerPackages = sound.providers.flatMap(({ entry }) => (isOfPackage(entry) ? [toPackageConfig(entry)] : []));
  const configuredModels = sound.models.map(({ entry }) => entry);
  const models = overrideModels(served, configuredModels);
  const listless = providerPackages.map(({ slug }) => ({ slug, discoverModels: false, listsModels: false }));
  const oddValues = [...odd, ...listOddValues(sound.file), ...listUnknownSources(update, around)];
  const warnings = [
    ...listRepeated(places),
    ...toWrittenIssues(oddValues, named).map((issue) => `${issue.path} ${issue.message}`),
    ...listWarnings([...providers, ...listless], models),
  ];
  const modules = { ...listModules(sound, path, named), providerPackages, optionSecrets };
  const facts = { origin: 'file', file: path, providers, models, configuredModels, warnings, ...modules } as const;
  return toGatewayConfig({ ...sound.file, catalog: toCatalog(sound.file.catalog, around) }, facts, flags);
}

type Modules = Pick<GatewayConfig, 'providerModules' | 'guardrails' | 'destinations'>;

const NO_MODULES = {
  providerModules: [],
  providerPackages: [],
  guardrails: { filters: [] },
  destinations: [],
  optionSecrets: [],
} as const;

/** The parts that code of the operator's own makes, but for the store. */
function listModules(
  { file, providers }: ReturnType<typeof takeSoundParts>,
  path: string,
  { toWrittenPath }: NamedTree,
): Modules {
  const toList = (list: string, entries: readonly Pick<ModuleConfig, 'slug' | 'module' | 'options'>[]) =>
    entries.map((entry, index) => toModuleConfig(entry, { file: path, place: toWrittenPath(`${list}[${index}]`) }));
  return {
    providerModules: providers.flatMap(({ entry: { slug, module, options }, index }) =>
      module === undefined
        ? []
        : [toModuleConfig({ slug, module, options }, { file: path, place: `providers[${index}]` })],
    ),
    guardrails: { filters: toList('guardrails.filters', file.guardrails.filters) },
    destinations: toList('destinations', file.destinations),
  };
}

/** A value that two fields of the schema share may be wrong at both, and is told once. */
function toWrittenIssues(issues: readonly ConfigIssue[], { toWrittenIssue }: NamedTree): ConfigIssue[] {
  const written = issues.map(toWrittenIssue);
  const isFirst = ({ path, message }: ConfigIssue, index: number): boolean =>
    written.findIndex((other) => other.path === path && other.message === message) === index;
  return written.filter(isFirst);
}

function withLines(issues: readonly ConfigIssue[], places: JsonPlaces): ConfigIssue[] {
  return issues.map((issue) => {
    const line = places.lineOf(issue.path);
    return line === undefined ? issue : { ...issue, line };
  });
}

/** Who writes a percentage where a share belongs charges a multiple of what they mean. */
const LARGEST_USUAL_SHARE = 0.5;

function listOddValues({ account: { byok } }: ConfigFile): ConfigIssue[] {
  const share = byok?.feeShare ?? 0;
  if (share <= LARGEST_USUAL_SHARE) return [];
  const percent = Math.round(share * 1_000_000) / 10_000;
  const message = `makes calls with a workspace's own key cost ${percent} percent of the provider's bill`;
  return [{ path: 'account.byok.feeShare', message }];
}

function listRepeated({ repeated }: JsonPlaces): string[] {
  return repeated.map(({ path, lines }) => {
    const first = lines.slice(0, -1).join(', ');
    return `${path} is given ${lines.length} times, in lines ${first} and ${lines.at(-1)}; the last one is used`;
  });
}

function readJson(path: string): { readonly value: unknown; readonly places: JsonPlaces } {
  const fail = (message: string): never => {
    throw new ConfigError(path, [{ path: '', message }]);
  };
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const reason = code === 'ENOENT' ? 'there is no such file' : `reading it failed (${code ?? 'unknown error'})`;
    return fail(`${reason}; give the path of a readable config file`);
  }
  try {
    return { value: JSON.parse(text) as unknown, places: findJsonPlaces(text) };
  } catch {
    const found = findJsonError(text);
    return fail(found === null ? 'is not JSON' : `line ${found.line}, column ${found.column}: ${found.message}`);
  }
}

/** Leaves out what has errors of its own, so that everything else can still be checked for more. */
function takeSoundParts(
  tree: Record<string, unknown>,
  broken: readonly z.core.$ZodIssue[],
): {
  file: ConfigFile;
  providers: Placed<ConfigFile['providers'][number]>[];
  models: Placed<ConfigFile['models'][number]>[];
} {
  const takeList = (section: string): Placed<unknown>[] => {
    const list = tree[section];
    const bad = broken.filter(({ path }) => path[0] === section).map(({ path }) => path[1]);
    if (!Array.isArray(list)) return [];
    return list.map((entry, index) => ({ entry, index })).filter(({ index }) => !bad.includes(index));
  };
  const providers = takeList('providers');
  const models = takeList('models');
  const badSections = new Set(broken.map(({ path }) => path[0]));
  const sections = Object.entries(tree).filter(
    ([name]) => Object.hasOwn(configSchema.shape, name) && !badSections.has(name),
  );
  const file = configSchema.parse({
    ...Object.fromEntries(sections),
    providers: providers.map(({ entry }) => entry),
    models: models.map(({ entry }) => entry),
  });
  return {
    file,
    providers: file.providers.map((entry, place) => ({ entry, index: providers[place]?.index ?? place })),
    models: file.models.map((entry, place) => ({ entry, index: models[place]?.index ?? place })),
  };
}

function listSlugs(providers: unknown): string[] {
  if (!Array.isArray(providers)) return [];
  return providers.flatMap((entry: unknown) =>
    typeof entry === 'object' && entry !== null && 'slug' in entry && typeof entry.slug === 'string'
      ? [entry.slug]
      : [],
  );
}

function listWarnings(
  providers: readonly Pick<ProviderConfig, 'slug' | 'discoverModels' | 'listsModels'>[],
  models: readonly ModelDefinition[],
): string[] {
  const used = new Set(models.flatMap(({ endpoints }) => endpoints.map(({ provider }) => provider)));
  return providers
    .filter(({ slug, discoverModels }) => !discoverModels && !used.has(slug))
    .map(({ slug, listsModels }) =>
      listsModels === false
        ? `provider "${slug}" serves no model: name it in models of a config file`
        : `provider "${slug}" serves no model: name it in models, or set its discoverModels to true`,
    );
}

type Facts = Omit<GatewayConfig, keyof ConfigFile> & Modules & Pick<GatewayConfig, 'providers' | 'models'>;

function toGatewayConfig({ $schema: _, ...sections }: ConfigFile, facts: Facts, flags: ConfigFlags): GatewayConfig {
  const { server, store } = sections;
  return {
    ...sections,
    ...facts,
    server: {
      ...server,
      host: flags.host ?? server.host,
      port: flags.port ?? server.port,
      publicUrl: server.publicUrl?.replace(/\/+$/, '') ?? null,
    },
    store: toStore(store, facts.file, flags.dataDir),
  };
}

function toStore(store: ConfigFile['store'], file: string | null, dataDir: string | undefined): GatewayConfig['store'] {
  if (store.type === 'memory') return store;
  if (store.type === 'module') return { ...store, module: resolve(dirname(file ?? '.'), store.module) };
  if (dataDir !== undefined) return { ...store, dir: resolve(dataDir) };
  return { ...store, dir: resolve(file === null ? '.' : dirname(file), store.dir) };
}

/**
 * Makes a provider of every preset whose key variable is set, with the models it lists, if any. `warnings` names
 * unusable variables. Addresses are read only for presets without one: `OPENAI_BASE_URL` often points at this gateway.
 */
function providersFromEnvironment(
  env: Environment,
  presets: Readonly<Record<string, ProviderPreset>>,
): { providers: ProviderConfig[]; warnings: string[] } {
  const providers: ProviderConfig[] = [];
  const warnings: string[] = [];
  for (const [name, preset] of Object.entries(presets)) {
    if (keyOfPreset(preset, env) === undefined) continue;
    if (addressOfPreset(preset, env) === undefined) {
      const { env: variable = '', example = '' } = preset.ownAddress ?? {};
      const [what, like] = preset.cloud === 'aws' ? ['region', 'eu-central-1'] : ['address', example];
      warnings.push(`${preset.apiKeyEnv} is set, but ${variable} is not, or is no ${what}; it should be like ${like}`);
      continue;
    }
    const slug = preset.slug ?? name;
    const entry = providerSettingsSchema.parse({ slug, preset: name, discoverModels: preset.listsModels });
    providers.push(toProviderConfig(entry, presets, env));
  }
  return { providers, warnings };
}
