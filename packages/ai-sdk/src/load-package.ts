import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

import { isRecord } from '@model-gateway/core/providers/kit';

/**
 * A provider as a package of the AI SDK makes it: `createCohere({ apiKey })`. Of the current version of the
 * specification or of one of the two before; what it has not is absent, or throws.
 */
export interface SdkProvider {
  languageModel?(id: string): unknown;
  embeddingModel?(id: string): unknown;
  textEmbeddingModel?(id: string): unknown;
  imageModel?(id: string): unknown;
  speechModel?(id: string): unknown;
  speech?(id: string): unknown;
  transcriptionModel?(id: string): unknown;
  transcription?(id: string): unknown;
  rerankingModel?(id: string): unknown;
  reranking?(id: string): unknown;
}

/** A package that cannot be used, in words for the operator. */
export class PackageError extends Error {
  override readonly name = 'PackageError';
}

/** The name of a package, and what may follow it for a part of it. Neither a path nor an address. */
const PACKAGE = /^((?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*)((?:\/[\w~-][\w.~-]*)*)$/;

/** Where a package is looked for. */
export interface PackagePlace {
  /** The name of the package: `@ai-sdk/cohere`; of a part of it: `@ai-sdk/google-vertex/anthropic`. */
  readonly package: string;
  /** The package is looked for from here upwards, as by code of this folder. Default: the working directory. */
  readonly folder?: string | undefined;
}

/** How a package makes a provider. */
export interface PackageSource extends PackagePlace {
  /** The function of the package that makes the provider. Default: the one that is named like the package. */
  readonly factory?: string | undefined;
  /** Given to that function: `apiKey`, `baseURL`, `headers` and what else the package knows. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /** Loads a file of JavaScript. Default: `import`, which a single executable has not. */
  readonly importFile?: ((file: string) => Promise<Readonly<Record<string, unknown>>>) | undefined;
}

interface FoundPackage {
  /** The name without the part. */
  readonly name: string;
  readonly directory: string;
  readonly manifest: Readonly<Record<string, unknown>>;
}

/** What is wrong with a package as it is installed, and what to do about it; undefined for nothing. Runs none of its code. */
export function findPackageProblem(place: PackagePlace): string | undefined {
  const found = findPackage(place);
  return typeof found === 'string' ? found : undefined;
}

function findPackage({ package: given, folder = process.cwd() }: PackagePlace): FoundPackage | string {
  const [, name] = PACKAGE.exec(given) ?? [];
  if (name === undefined) return `"${given.slice(0, 100)}" is not the name of a package, such as "@ai-sdk/cohere"`;
  for (let at = resolve(folder); ; at = dirname(at)) {
    const directory = join(at, 'node_modules', name);
    const file = join(directory, 'package.json');
    if (existsSync(file)) return readPackage(file, { name, directory });
    if (at === dirname(at)) break;
  }
  return `${name} is not installed. Run this in ${resolve(folder)}: npm install ${name}`;
}

/** Whoever names a package over HTTP must not be able to run any code that happens to be installed. */
function readPackage(file: string, place: Omit<FoundPackage, 'manifest'>): FoundPackage | string {
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return `${file} cannot be read. Install ${place.name} again`;
  }
  const needs = isRecord(manifest)
    ? { ...toRecord(manifest['dependencies']), ...toRecord(manifest['peerDependencies']) }
    : {};
  const isOfSdk = Object.keys(needs).some((need) => need === 'ai' || need.startsWith('@ai-sdk/'));
  if (isRecord(manifest) && isOfSdk) return { ...place, manifest };
  return `${place.name} is no package of the AI SDK: it depends on none of its packages`;
}

const toRecord = (value: unknown): object => (isRecord(value) ? value : {});

/** Makes the provider of a package. Throws `PackageError`, and what the package throws. */
export async function loadPackage(
  options: PackageSource,
  fetch: typeof globalThis.fetch | undefined,
): Promise<SdkProvider> {
  const found = findPackage(options);
  if (typeof found === 'string') throw new PackageError(found);
  const { package: specifier, importFile = importByUrl } = options;
  let loaded: Readonly<Record<string, unknown>>;
  try {
    loaded = await importFile(entryOf(found, specifier));
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
    throw new PackageError(`${specifier} cannot be loaded: ${reason}`, { cause });
  }
  const make = findFactory(loaded, options);
  const made = make({ ...options.options, ...(fetch !== undefined && { fetch }) });
  if ((typeof made !== 'function' && typeof made !== 'object') || made === null) {
    throw new PackageError(`${specifier} has made no provider`);
  }
  return made;
}

const importByUrl = async (file: string): Promise<Readonly<Record<string, unknown>>> =>
  (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;

/** The file that `import` would load. `require` finds all but what is for `import` alone. */
function entryOf({ name, directory, manifest }: FoundPackage, specifier: string): string {
  try {
    return createRequire(join(directory, 'package.json')).resolve(specifier);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED' && code !== 'MODULE_NOT_FOUND') throw error;
  }
  const part = specifier.slice(name.length);
  const { exports: entries } = manifest;
  const entry = isRecord(entries) && `.${part}` in entries ? entries[`.${part}`] : part === '' ? entries : undefined;
  const file = entryFor(entry);
  if (file === undefined) throw new PackageError(`${name} has no part ${part.slice(1) || 'to import'}`);
  return join(directory, file);
}

function entryFor(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  return isRecord(entry) ? entryFor(entry['node'] ?? entry['import'] ?? entry['default']) : undefined;
}

type Factory = (options: object) => SdkProvider | null;

/** The function that is asked for, or that is named like the package, or the only one of its kind. */
function findFactory(
  loaded: Readonly<Record<string, unknown>>,
  { package: specifier, factory }: Pick<PackageSource, 'package' | 'factory'>,
): Factory {
  const names = Object.keys(loaded).filter((name) => typeof loaded[name] === 'function');
  const makers = names.filter((name) => /^create[A-Z]/.test(name));
  const fits = factory ?? pickFactory(makers, specifier);
  if (fits !== undefined && names.includes(fits)) return loaded[fits] as Factory;
  const known = makers.join(', ') || 'none';
  throw new PackageError(
    factory === undefined
      ? `it is not clear which function of ${specifier} makes a provider; name it in "factory" (${known})`
      : `${specifier} has no function ${factory}; those that make something are ${known}`,
  );
}

function pickFactory(makers: readonly string[], specifier: string): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const ends = specifier.split('/').map(plain);
  const nameOf = (maker: string): string => plain(maker.slice('create'.length));
  return (
    makers.find((maker) => nameOf(maker) === ends.at(-1)) ??
    (makers.length === 1 ? makers[0] : undefined) ??
    // `@ai-sdk/google-vertex/anthropic` makes `createVertexAnthropic`, `@openrouter/ai-sdk-provider` `createOpenRouter`.
    makers.find((maker) => ends.slice(-2).join('').endsWith(nameOf(maker)) || nameOf(maker) === ends[0])
  );
}
