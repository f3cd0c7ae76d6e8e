import { createRequire } from 'node:module';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

import {
  type FilterFunction,
  GatewayError,
  type AuditListener,
  type GenerationListener,
  type Logger,
  type Provider,
  type Store,
  suggestName,
  toFetch,
  type Transport,
  TransportError,
} from '@model-gateway/core';
import type { ModuleConfig } from '@model-gateway/node';

import { StartError } from '../process/start-error.ts';

/** What every module is given beside its options. */
export interface ModuleContext {
  /** The name of the entry in the config file. */
  readonly slug: string;
  readonly logger: Logger;
  /** To throw: a class of the same name from another copy of the package would be an unknown error here. */
  readonly GatewayError: typeof GatewayError;
}

/** What the module of a provider is given. */
export interface ProviderModuleContext extends ModuleContext {
  readonly TransportError: typeof TransportError;
  /** Calls the provider. */
  readonly transport: Transport;
  /** Calls addresses that callers name. Refuses internal ones. */
  readonly downloads: Transport;
  readonly toFetch: typeof toFetch;
}

/** What the module of a store is given. */
export interface StoreModuleContext extends ModuleContext {
  readonly retentionDays: number;
  readonly maxGenerations: number;
}

/** A destination of generations that code of the operator's own makes. */
export interface ModuleDestination {
  readonly onGeneration: GenerationListener;
  readonly onAudit?: AuditListener;
  close?(): Promise<void> | void;
}

/**
 * Calls the function `name` of a module with the options of its entry. Throws `StartError` that names the field of the
 * config file, the module, and what was expected of it. Modules are named by the config file alone: one that could be
 * named over HTTP would let an administrator run any code on this machine.
 */
async function makeOf(
  config: ModuleConfig,
  name: string,
  context: ModuleContext,
): Promise<{ readonly made: unknown; readonly fail: (problem: string, cause?: unknown) => never }> {
  const { module: file, options, place } = config;
  const fail = (problem: string, cause?: unknown): never => {
    throw new StartError(`${place}: ${file} ${problem}`, { cause });
  };
  let loaded: Readonly<Record<string, unknown>>;
  try {
    loaded = await importFile(file);
  } catch (cause) {
    return fail(`cannot be loaded: ${describe(cause)}`, cause);
  }
  const create = loaded[name];
  if (typeof create !== 'function') {
    const found = Object.keys(loaded).join(', ') || 'nothing';
    return fail(`must export a function ${name}(options, context), and exports ${found}`);
  }
  try {
    return { made: await (create as (...given: unknown[]) => unknown)(options, context), fail };
  } catch (cause) {
    return fail(`has failed in ${name}: ${describe(cause)}`, cause);
  }
}

/** What a provider can do by a function. */
const MEMBERS = ['chat', 'embeddings', 'speech', 'transcription', 'image', 'rerank', 'moderation'] as const;

/** Every function that the gateway may call of a provider. */
const PROVIDER_FUNCTIONS: readonly string[] = [
  ...MEMBERS,
  ...(['countTokens', 'listModels', 'ocr', 'prefillOf', 'cacheTtlsOf', 'speechFormatsOf'] satisfies (keyof Provider)[]),
];

/** Functions that nothing calls, because the gateway knows them by another name. */
function listMisspelt(made: object): { readonly name: string; readonly near: string }[] {
  const members = membersOf(made);
  return [...members].flatMap(([name, { value }]) => {
    if (name === 'constructor' || PROVIDER_FUNCTIONS.includes(name) || typeof value !== 'function') return [];
    const near = suggestName(name, PROVIDER_FUNCTIONS);
    if (near === undefined) return [];
    const called = members.get(near);
    return called?.get !== undefined || called?.value !== undefined ? [] : [{ name, near }];
  });
}

/** Also of what a class has. No getter is run: it may throw, or change something. */
function membersOf(made: object): ReadonlyMap<string, PropertyDescriptor> {
  const prototype: unknown = Object.getPrototypeOf(made);
  const isLast = prototype === null || prototype === Object.prototype || !isObject(prototype);
  const inherited = isLast ? [] : membersOf(prototype);
  return new Map([...inherited, ...Object.entries(Object.getOwnPropertyDescriptors(made))]);
}

/** Makes the provider of an entry. */
export async function createModuleProvider(config: ModuleConfig, context: ProviderModuleContext): Promise<Provider> {
  const { made, fail } = await makeOf(config, 'createProvider', context);
  const { slug } = config;
  if (!isObject(made)) return fail('must return a provider from createProvider');
  if (made['slug'] !== slug) fail(`must return a provider with the slug "${slug}", which context.slug has`);
  if (typeof made['name'] !== 'string') fail('must return a provider with a name');
  if (!isObject(made['dataPolicy'])) {
    fail('must return a provider with a dataPolicy, { training: null, retainsPrompts: null } where it is not known');
  }
  const members = MEMBERS.filter((member) => typeof made[member] === 'function');
  if (members.length === 0 && !isObject(made['video'])) {
    fail(`must return a provider that can do something: ${MEMBERS.join(', ')} or video`);
  }
  for (const { name, near } of listMisspelt(made)) {
    const { place } = config;
    context.logger.warn('a provider has a function that is never called', { place, function: name, meant: near });
  }
  return made as unknown as Provider;
}

/** Some members of a store that every one has. */
const STORE_MEMBERS = ['keys', 'generations', 'settings', 'guardrails', 'providers'] as const satisfies (keyof Store)[];

/** Makes the store. */
export async function createModuleStore(config: ModuleConfig, context: StoreModuleContext): Promise<Store> {
  const { made, fail } = await makeOf(config, 'createStore', context);
  if (!isObject(made)) return fail('must return a store from createStore');
  const missing = STORE_MEMBERS.filter((member) => !isObject(made[member]));
  if (missing.length > 0) fail(`must return a store, but it has no ${missing.join(', ')}`);
  if (typeof made['close'] !== 'function') fail('must return a store with a function close');
  return made as unknown as Store;
}

/** Makes a destination. */
export async function createModuleDestination(
  config: ModuleConfig,
  context: ModuleContext,
): Promise<ModuleDestination> {
  const { made, fail } = await makeOf(config, 'createDestination', context);
  if (!isObject(made) || typeof made['onGeneration'] !== 'function') {
    return fail('must return an object with a function onGeneration from createDestination');
  }
  return made as unknown as ModuleDestination;
}

/** Makes a filter, which has the name of its entry. */
export async function createModuleFilter(config: ModuleConfig, context: ModuleContext): Promise<FilterFunction> {
  const { made, fail } = await makeOf(config, 'createFilter', context);
  if (!isObject(made)) return fail('must return a filter from createFilter');
  const { input, output } = made as Partial<FilterFunction>;
  if (typeof (input ?? output) !== 'function') fail('must return a filter with a function input, output or both');
  return { name: config.slug, input: input?.bind(made), output: output?.bind(made) };
}

export const toModuleContext = (slug: string, logger: Logger): ModuleContext => ({ slug, logger, GatewayError });

export const toProviderModuleContext = (
  slug: string,
  { logger, transport, downloads }: Pick<ProviderModuleContext, 'logger' | 'transport' | 'downloads'>,
): ProviderModuleContext => ({ ...toModuleContext(slug, logger), TransportError, transport, downloads, toFetch });

/** In the single executable `import` knows what is built in alone. There, a module cannot wait at its top level. */
export async function importFile(file: string): Promise<Readonly<Record<string, unknown>>> {
  const sea = process.getBuiltinModule('node:sea');
  if (sea?.isSea() === true) return createRequire(file)(file) as Readonly<Record<string, unknown>>;
  return import(pathToFileURL(file).href) as Promise<Readonly<Record<string, unknown>>>;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as NodeJS.ErrnoException;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
    ? (cause.message.split('\n')[0] ?? '')
    : `${cause.name}: ${cause.message}`;
}
