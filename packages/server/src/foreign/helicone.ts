import { UsageError } from '../process/flags.ts';
import type { ForeignFile, MovePlan } from './plan.ts';
import { createPlanner, type Planner, toBaseUrl } from './planner.ts';
import {
  isTree,
  lookUp,
  numberOf,
  otherFields,
  rowsOf,
  textOf,
  textsOf,
  type Tree,
  treeOf,
  treesOf,
  wholeOf,
} from './read-tree.ts';

/** Helicone's names of providers, and the presets that they are here. */
const PRESET_OF: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  gemini: 'google',
  'google-gemini': 'google',
  bedrock: 'bedrock',
  mistral: 'mistral',
  groq: 'groq',
  together: 'together',
  deepinfra: 'deepinfra',
  deepseek: 'deepseek',
  xai: 'xai',
  perplexity: 'perplexity',
  hyperbolic: '',
  ollama: 'ollama',
};

/** The config of Helicone's AI gateway, and the lists of its keys. */
export function planHelicone(files: readonly ForeignFile[]): MovePlan {
  const planner = createPlanner('helicone');
  const isConfig = ({ tree }: ForeignFile): boolean =>
    isTree(tree) && SECTIONS.some((section) => isTree(tree[section]));
  const configs = files.filter(isConfig).map(({ tree }) => treeOf(tree));
  const keys = files
    .filter((file) => !isConfig(file))
    .flatMap(({ tree }) => rowsOf(tree))
    .filter((row): row is Tree => isTree(row) && textOf(row['api_key_name'] ?? row['key_name']) !== undefined);
  if (configs.length + keys.length === 0) {
    throw new UsageError(
      'Nothing of Helicone is in these files: it takes the ai-gateway-config.yaml of its AI gateway, and lists of its keys.',
    );
  }
  for (const config of configs) planConfig(config, planner);
  for (const row of keys) planKey(row, planner);
  return planner.toPlan();
}

const SECTIONS = ['routers', 'providers', 'global', 'helicone', 'cache-store', 'rate-limit-store'];

function planConfig(config: Tree, planner: Planner): void {
  const described = treeOf(config['providers']);
  for (const [name, settings] of Object.entries(described)) {
    const slug = planProvider(name, described, planner);
    if (slug === undefined) continue;
    const models = textsOf(treeOf(settings)['models']);
    for (const model of models) planner.model({ name: `${name}/${model}` }, [planner.endpoint(slug, model)]);
    const rest = otherFields(treeOf(settings), ['base-url', 'models', 'version']);
    const becomes = models.length === 0 ? `provider ${slug}` : `provider ${slug} with ${models.length} models`;
    planner.line('provider', name, becomes, rest.length === 0 ? '' : `without ${rest.join(', ')}`);
  }
  for (const [name, router] of Object.entries(treeOf(config['routers']))) {
    planRouter(name, treeOf(router), described, planner);
  }
  const all = treeOf(config['global']);
  planRate('global', all['rate-limit'], planner);
  planRetries('global', all['retries'], planner);
  const rest = [
    ...otherFields(all, ['rate-limit', 'retries']).map((field) => `global.${field}`),
    ...otherFields(config, ['routers', 'providers', 'global']),
  ];
  for (const field of rest)
    planner.line('setting', field, null, lookUp(WHY, field.split('.').at(-1) ?? '') ?? 'not known here');
}

const WHY: Readonly<Record<string, string>> = {
  cache: 'responses are cached where a request or a workspace asks for it',
  'cache-store': 'responses are cached in the store of this gateway, or in Redis',
  'rate-limit-store': 'limits are shared by shared.type "redis"',
  helicone: 'keys are checked and calls recorded here by themselves',
  telemetry: 'see docs/operations.md for the log and metrics, docs/destinations.md for traces',
  'model-mappings': 'name the models of a fallback in models, or write a rule',
  'default-model-mapping': 'name the models of a fallback in models, or write a rule',
  'deployment-target': 'there is one way to run: serve',
  discover: 'endpoints rest by themselves when they fail',
  server: 'see server in docs/configuration.md',
};

/** A provider by Helicone's name. One that the config only names has its own address and the usual variable. */
function planProvider(name: string, described: Tree, planner: Planner): string | undefined {
  const settings = treeOf(described[name]);
  const preset = lookUp(PRESET_OF, name) || undefined;
  const address = settings['base-url'] === undefined ? undefined : toBaseUrl(settings['base-url']);
  if (preset === undefined && address === undefined) {
    planner.line('provider', name, null, 'there is no such provider here, and the file has no plain address of it');
    return undefined;
  }
  const variable = planner.presetKey(preset ?? '') ?? `${name}_API_KEY`;
  const isKeyless = preset === 'ollama';
  // Helicone's gateway reads keys from the environment alone.
  const apiKey = isKeyless ? undefined : planner.secret(`env:${toUpper(variable)}`, variable, `the key of ${name}`);
  return planner.provider({
    slug: name,
    ...(preset === undefined ? { wire: 'openai' } : { preset }),
    ...(address !== undefined && { baseUrl: withVersion(address, preset) }),
    ...(apiKey !== undefined && { apiKey }),
    ...(textsOf(settings['models']).length === 0 && planner.lists(preset) && { discoverModels: true }),
  });
}

const toUpper = (text: string): string => text.toUpperCase().replaceAll(/\W+/g, '_');

/** Addresses there have no version segment. */
function withVersion(address: string, preset: string | undefined): string {
  if (/\/v\d\w*(\/|$)|\/openai$/.test(address)) return address;
  return preset === 'google' ? `${address}/v1beta` : `${address}/v1`;
}

function planRouter(name: string, router: Tree, described: Tree, planner: Planner): void {
  const balances = Object.entries(treeOf(router['load-balance']));
  for (const [kind, value] of balances) {
    const balance = treeOf(value);
    const strategy = textOf(balance['strategy']) ?? 'latency';
    const isByModel = strategy.startsWith('model') || Array.isArray(balance['models']);
    const members = isByModel ? balance['models'] : balance['providers'];
    const names = [
      ...textsOf(members),
      ...treesOf(members).flatMap((one) => textOf(one['provider'] ?? one['model']) ?? []),
    ];
    const hasWeights = treesOf(members).some((one) => one['weight'] !== undefined);
    const notes = [
      hasWeights ? 'weights: load is balanced by price here' : '',
      kind === 'chat' ? '' : `for ${kind}`,
      isByModel ? '' : 'callers name provider and model',
    ];
    const note = notes.filter(Boolean).join('; ');
    if (!isByModel) {
      const slugs = names.flatMap((one) => planProvider(one, described, planner) ?? []);
      planner.line('router', name, slugs.length === 0 ? null : `providers ${slugs.join(', ')}`, note);
    } else {
      const endpoints = names.flatMap((one) => {
        const [provider = '', ...model] = one.split('/');
        const slug = planProvider(provider, described, planner);
        return slug === undefined ? [] : [planner.endpoint(slug, model.join('/'))];
      });
      if (endpoints.length > 0) planner.model({ name }, endpoints);
      planner.line('router', name, endpoints.length === 0 ? null : `model ${name}`, note);
    }
    if (/latency/.test(strategy)) {
      planner.config.routing = { ...planner.config.routing, sort: 'latency' };
      planner.line('strategy', `${name}: ${strategy}`, 'routing.sort latency', 'for all models');
    }
  }
  planRate(name, router['rate-limit'], planner);
  planRetries(name, router['retries'], planner);
  for (const field of otherFields(router, ['load-balance', 'rate-limit', 'retries'])) {
    planner.line('setting', `${name}: ${field}`, null, lookUp(WHY, field) ?? 'not known here');
  }
}

/** A bucket that is filled in seconds or minutes is a limit of a minute; longer ones would let too much through at once. */
function planRate(place: string, value: unknown, planner: Planner): void {
  const rule = treeOf(treeOf(value)['per-api-key']);
  const capacity = wholeOf(rule['capacity']);
  if (capacity === undefined) return;
  const [, amount = '', unit = ''] = /^(\d+)(ms|s|m|h|d)$/.exec(textOf(rule['refill-frequency']) ?? '1m') ?? [];
  const seconds = Number(amount) * ({ ms: 0.001, s: 1, m: 60 }[unit] ?? Number.NaN);
  const requestsPerMinute = Math.floor((capacity * 60) / seconds);
  if (!(seconds <= 60) || !(requestsPerMinute >= 1)) {
    return planner.line(
      'rate limit',
      place,
      null,
      `${capacity} in ${textOf(rule['refill-frequency'])}: limits are by minute here`,
    );
  }
  const isThere = planner.config.rateLimits?.some(({ key }) => key === '*') === true;
  if (isThere) return planner.line('rate limit', place, null, 'keys have one limit here, and an earlier one is taken');
  planner.rates('*', { requests: requestsPerMinute });
  planner.line(
    'rate limit',
    place,
    `${requestsPerMinute} requests a minute of each key`,
    place === 'global' ? '' : 'for all models',
  );
}

function planRetries(place: string, value: unknown, planner: Planner): void {
  const most = numberOf(treeOf(value)['max-retries']);
  if (most === undefined || most < 1) return;
  const retries = Math.min(Math.floor(most), 2);
  planner.config.routing = { ...planner.config.routing, retriesAtEndpoint: retries };
  planner.line('retries', place, `routing.retriesAtEndpoint ${retries}`, most > retries ? 'at most 2 here' : '');
}

function planKey(row: Tree, planner: Planner): void {
  const name = textOf(row['api_key_name'] ?? row['key_name']) ?? 'helicone key';
  const named = planner.key({
    source: textOf(row['id']) ?? `${name} ${numberOf(row['id']) ?? ''}`,
    name,
    hash: null,
    workspace: null,
    limit: null,
    includesByok: false,
    disabled: row['soft_delete'] === true,
    expiresAt: null,
  });
  planner.line('key', named, 'a new key in default');
}
