import { findModelProblems } from '../catalog/find-model-problems.ts';
import { overrideModels, pickServedModels } from '../catalog/override-models.ts';
import { messageOf } from '../foundation/errors.ts';
import { checkWith } from '../foundation/parse.ts';
import type { Provider } from '../providers/provider.ts';
import type { ModelRecord, ProviderRecord } from '../stores/store.ts';
import { secretsOfQuery } from '../wire/fields.ts';
import {
  type ConfiguredModel,
  configuredModelSchema,
  type ModelDefinition,
  type ModelSetup,
} from '../wire/model-definition.ts';
import { describeProblems, isShadowed, openProviderRow, type ProviderSetupState } from './provider-rows.ts';
import type { SetupHost } from './setup-host.ts';

/** What was set up through the API. */
export interface StoredSetup {
  readonly providers: readonly ProviderRecord[];
  readonly models: readonly ModelRecord[];
}

/** What became of a stored model. */
export interface ModelSetupState {
  readonly status: ModelSetup['status'];
  readonly problem: string | null;
}

/** The providers and models of the configuration with those that are stored, and what became of each of these. */
export interface ComposedSetup {
  readonly providers: readonly Provider[];
  readonly models: readonly ModelDefinition[];
  readonly providerStates: ReadonlyMap<string, ProviderSetupState>;
  readonly modelStates: ReadonlyMap<string, ModelSetupState>;
}

export interface ComposeParts {
  readonly host: SetupHost;
  /** The providers of the configuration. */
  readonly providers: readonly Provider[];
  /** Providers that were made before, by their rows, which are replaced when they change. */
  readonly connected: WeakMap<ProviderRecord, Provider>;
}

const READY = { status: 'ready', problem: null } as const;

/** Puts both together. A stored provider or model that cannot be used is left out, whatever the reason. */
export async function composeSetup(stored: StoredSetup, parts: ComposeParts): Promise<ComposedSetup> {
  const { host } = parts;
  const providers = [...parts.providers];
  const providerStates = new Map<string, ProviderSetupState>();
  for (const row of stored.providers) {
    const { provider, ...state } = await connectRow(row, parts);
    if (provider !== undefined) providers.push(provider);
    providerStates.set(row.id, state);
  }
  const builtIn = await host.loadBuiltInModels();
  const served = pickServedModels(builtIn, providers.map(toServing));
  const slugs = new Set(providers.map(({ slug }) => slug));
  const taken = new Set(host.configured.models.map(({ id }) => id));
  const allSlugs = [...slugs, ...stored.providers.map(({ id }) => id)];
  const servedByAll = pickServedModels(builtIn, [...providers.map(toServing), ...stored.providers.map(toServingRow)]);
  const pathSlugs = new Set(
    providers.filter(({ putsModelInPath }) => putsModelInPath === true).map(({ slug }) => slug),
  );
  const own: ConfiguredModel[] = [];
  const modelStates = new Map<string, ModelSetupState>();
  for (const row of stored.models) {
    const { model, ...state } = taken.has(row.id)
      ? { model: undefined, ...SHADOWED }
      : pickModel(row, { slugs, pathSlugs, served, allSlugs, servedByAll });
    if (model !== undefined) own.push(model);
    modelStates.set(row.id, state);
  }
  const models = overrideModels(served, [...host.configured.models, ...own]);
  return { providers, models, providerStates, modelStates };
}

const toServing = ({ slug, preset = null }: Provider) => ({ slug, preset });

const toServingRow = ({ id, settings: { preset } }: ProviderRecord) => ({
  slug: id,
  preset: typeof preset === 'string' ? preset : null,
});

const SHADOWED = {
  status: 'shadowed',
  problem: 'The configuration has a model with the same id, which takes precedence',
} as const;

async function connectRow(
  row: ProviderRecord,
  { host, connected }: ComposeParts,
): Promise<ProviderSetupState & { readonly provider?: Provider }> {
  const known = row.enabled ? connected.get(row) : undefined;
  if (known !== undefined && !isShadowed(row, host)) return { ...READY, provider: known };
  const opened = await openProviderRow(row, host);
  if (opened.status !== 'ready') return opened;
  const { settings } = opened;
  try {
    const provider = await host.connect(settings);
    connected.set(row, provider);
    return { ...READY, provider };
  } catch (error) {
    const { apiKey, headers, query } = settings;
    return {
      status: 'failed',
      problem: strikeOut(messageOf(error), [apiKey ?? '', ...Object.values(headers), ...secretsOfQuery(query)]),
    };
  }
}

interface ServedModels {
  /** The slugs of the providers that are called. */
  readonly slugs: ReadonlySet<string>;
  /** Providers among them that put the name of a model into the address. */
  readonly pathSlugs: ReadonlySet<string>;
  readonly served: readonly ModelDefinition[];
  /** The same with the providers that are not called at the moment. */
  readonly allSlugs: readonly string[];
  readonly servedByAll: readonly ModelDefinition[];
}

/** The model with the endpoints that can be called. */
function pickModel(
  row: ModelRecord,
  { slugs, pathSlugs, served, allSlugs, servedByAll }: ServedModels,
): ModelSetupState & { readonly model?: ConfiguredModel } {
  const parsed = checkWith(configuredModelSchema, row.definition);
  if (!parsed.success) return { status: 'failed', problem: 'Its definition cannot be read: save it again' };
  // An alias that has come to mean something else is not looked at: what has it first keeps it.
  const surroundings = { slugs: allSlugs, pathSlugs, served: servedByAll, configured: [] };
  const problems = findModelProblems(parsed.data, surroundings).filter(({ keys: [field] }) => field !== 'aliases');
  if (problems.length > 0) {
    return { status: 'failed', problem: describeProblems(problems.map(toIssue)) };
  }
  const { endpoints, ...fields } = parsed.data;
  const left = endpoints?.filter(({ provider }) => slugs.has(provider));
  const isServed = served.some(({ id }) => id === row.id);
  if (left === undefined ? !isServed : left.length === 0 && !isServed) {
    return { status: 'idle', problem: 'None of its providers is called at the moment' };
  }
  const model = left === undefined || left.length === 0 ? fields : { ...fields, endpoints: left };
  return { ...READY, model };
}

const toIssue = ({ keys, message }: { readonly keys: readonly (string | number)[]; readonly message: string }) => ({
  path: keys.join('.'),
  message,
});

function strikeOut(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => (secret === '' ? left : left.replaceAll(secret, '[redacted]')), text);
}
