import { UsageError } from '../process/flags.ts';
import type { ForeignFile, MovePlan } from './plan.ts';
import { createPlanner, describeLimit, describeOdd, type Planner, toBaseUrl, toLimit, toName } from './planner.ts';
import {
  fieldsOf,
  isTree,
  lookUp,
  momentOf,
  otherFields,
  rowsOf,
  textOf,
  type Tree,
  treeOf,
  treesOf,
  wholeOf,
} from './read-tree.ts';

/** Portkey's names of providers, and the presets that they are here. */
const PRESET_OF: Readonly<Record<string, string>> = {
  openai: 'openai',
  'azure-openai': 'azure',
  anthropic: 'anthropic',
  google: 'google',
  'vertex-ai': 'vertex',
  bedrock: 'bedrock',
  'mistral-ai': 'mistral',
  groq: 'groq',
  'together-ai': 'together',
  'fireworks-ai': 'fireworks',
  deepinfra: 'deepinfra',
  deepseek: 'deepseek',
  'x-ai': 'xai',
  cerebras: 'cerebras',
  cohere: 'cohere',
  'perplexity-ai': 'perplexity',
  openrouter: 'openrouter',
  moonshot: 'moonshot',
  dashscope: 'alibaba',
  voyage: 'voyage',
  jina: 'jina',
  ollama: 'ollama',
};

/** A target without the targets within it, and with what it inherits. */
interface Target {
  readonly tree: Tree;
  readonly weight: unknown;
}

/** Configs of Portkey, as they are written or as its API returns them, and the answers for virtual keys, keys, workspaces. */
export function planPortkey(files: readonly ForeignFile[]): MovePlan {
  const planner = createPlanner('portkey');
  const configs: { name: string; tree: Tree }[] = [];
  const rows: Tree[] = [];
  for (const { name, tree } of files) {
    if (isConfig(tree)) configs.push({ name, tree: treeOf(tree) });
    else for (const row of rowsOf(tree).filter(isTree)) rows.push(row);
  }
  const rest = rows.filter((row) => {
    const inner = typeof row['config'] === 'string' ? parse(row['config']) : row['config'];
    if (isConfig(inner)) configs.push({ name: nameOf(row), tree: treeOf(inner) });
    return !isConfig(inner);
  });
  if (configs.length + rest.length === 0) {
    throw new UsageError(
      'Nothing of Portkey is in these files: it takes configs as JSON, and what GET /configs/{slug}, /virtual-keys, ' +
        '/api-keys and /admin/workspaces return.',
    );
  }
  const virtual = rest.filter((row) => row['object'] === 'virtual-key' || 'model_config' in row);
  const providers = new Map(virtual.map((row) => [textOf(row['slug']) ?? '', providerOf(row)]));
  for (const { name, tree } of configs) planConfig(name, tree, providers, planner);
  for (const row of virtual) planVirtualKey(row, planner);
  const workspaces = rest.filter((row) => !virtual.includes(row) && isWorkspace(row));
  const slugs = new Map(
    workspaces.flatMap((row) => {
      const slug = planWorkspace(row, planner);
      return [row['id'], row['slug']].flatMap((id) => (typeof id === 'string' ? [[id, slug] as const] : []));
    }),
  );
  for (const row of rest) {
    if (virtual.includes(row) || workspaces.includes(row)) continue;
    if (isKey(row)) planKey(row, slugs, planner);
    else planner.line('entry', nameOf(row), null, textOf(row['slug']) === undefined ? 'not known here' : WHY_LISTED);
  }
  return planner.toPlan();
}

const WHY_LISTED = 'a list of configs does not have their contents: export each by GET /configs/{slug}';
const isConfig = (tree: unknown): boolean =>
  isTree(tree) &&
  (Array.isArray(tree['targets']) || isTree(tree['strategy']) || 'override_params' in tree || isAlone(tree));
/** A config of one target, which has no list. */
const isAlone = (tree: Tree): boolean =>
  ('api_key' in tree || 'virtual_key' in tree || 'retry' in tree || 'cache' in tree) &&
  !('id' in tree) &&
  !('slug' in tree);
const isWorkspace = (row: Tree): boolean =>
  row['object'] === 'workspace' || (!isKey(row) && 'slug' in row && ('defaults' in row || 'usage_limits' in row));
const isKey = (row: Tree): boolean => row['object'] === 'api-key' || 'scopes' in row || 'creation_mode' in row;
const nameOf = (row: Tree): string => textOf(row['name']) ?? textOf(row['slug']) ?? textOf(row['id']) ?? '(no name)';
const providerOf = (row: Tree): string | undefined => textOf(row['provider']) ?? textOf(row['ai_provider_name']);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const TARGET = fieldsOf(
  'name provider virtual_key api_key custom_host weight override_params targets strategy retry ' +
    'request_timeout aws_region vertex_project_id vertex_region resource_name azure_resource_name',
);

/** A config becomes a model: its targets are the endpoints, or models that follow one another. */
function planConfig(
  name: string,
  config: Tree,
  providers: ReadonlyMap<string, string | undefined>,
  planner: Planner,
): void {
  const mode = textOf(treeOf(config['strategy'])['mode']) ?? 'single';
  const targets = flatten(config);
  const called = toName(name, 80);
  const placed = targets.flatMap(({ tree, weight }, index) => {
    const place = planTarget(`${name}, target ${index + 1}`, tree, providers, planner);
    return place === undefined ? [] : [{ ...place, weight }];
  });
  if (mode === 'conditional') {
    planner.line(
      'config',
      name,
      null,
      'conditions on metadata: write rules, see docs/routing.md#rules-that-choose-the-model',
    );
  } else if (placed.every(({ model }) => model === undefined)) {
    const note = 'callers name the model: its providers serve theirs as PROVIDER/MODEL';
    planner.line('config', name, placed.length === 0 ? null : placed.map(({ slug }) => slug).join(', '), note);
  } else if (mode === 'fallback' && placed.length > 1) {
    const ids = placed.flatMap(({ slug, model }, index) =>
      model === undefined
        ? []
        : [planner.model({ name: index === 0 ? called : `${called}-${index + 1}` }, [planner.endpoint(slug, model)])],
    );
    const [first = ''] = ids;
    if (ids.length > 1) planner.rule(`fallback of ${called}`, first, ids);
    planner.line(
      'config',
      name,
      `model ${called}, then ${ids.slice(1).join(', ')}`,
      ids.length > 4 ? 'the first four only' : '',
    );
  } else {
    const endpoints = placed.flatMap(({ slug, model }) => (model === undefined ? [] : [planner.endpoint(slug, model)]));
    planner.model({ name: called }, endpoints);
    const hasWeights = new Set(placed.map(({ weight }) => String(weight))).size > 1;
    planner.line('config', name, `model ${called}`, hasWeights ? 'weights: load is balanced by price here' : '');
  }
  planRetries(config, planner);
  for (const field of otherFields(config, TARGET)) {
    planner.line('setting', `${name}: ${field}`, null, lookUp(WHY, field) ?? 'not known here');
  }
}

const WHY: Readonly<Record<string, string>> = {
  cache: 'responses are cached where a request or a workspace asks for it',
  input_guardrails: 'guardrails are set in the UI or by POST /guardrails',
  output_guardrails: 'guardrails are set in the UI or by POST /guardrails',
  before_request_hooks: 'see docs/guardrails.md',
  after_request_hooks: 'see docs/guardrails.md',
};

/** The targets of all levels, one after the other. */
function flatten(tree: Tree, weight: unknown = tree['weight']): readonly Target[] {
  const targets = treesOf(tree['targets']);
  if (targets.length === 0) return [{ tree, weight }];
  const { targets: _, strategy: __, ...inherited } = tree;
  return targets.flatMap((target) => flatten({ ...inherited, ...target }, target['weight']));
}

function planTarget(
  place: string,
  target: Tree,
  providers: ReadonlyMap<string, string | undefined>,
  planner: Planner,
): { slug: string; model: string | undefined } | undefined {
  const named = textOf(target['provider']);
  const virtual =
    textOf(target['virtual_key']) ?? (named?.startsWith('@') === true ? named.slice(1).split('/')[0] : undefined);
  const kind = named?.startsWith('@') === false ? named : virtual && (providers.get(virtual) ?? guessKind(virtual));
  const address = toBaseUrl(target['custom_host']);
  const preset = kind === undefined ? undefined : lookUp(PRESET_OF, kind);
  if (target['custom_host'] !== undefined && address === undefined) {
    planner.line('target', place, null, 'its custom_host is no plain address');
    return undefined;
  }
  if (preset === undefined && address === undefined) {
    const note =
      kind === undefined
        ? `its provider is not in the files: export /virtual-keys`
        : `there is no provider ${kind} here`;
    planner.line('target', place, null, note);
    return undefined;
  }
  const key = textOf(target['api_key']);
  const owner = virtual ?? kind ?? 'target';
  const holds = `the key of ${owner}`;
  const variable = virtual === undefined ? `${owner}_API_KEY` : `${virtual}_KEY`;
  // The key behind a virtual key is never exported, so its variable is of a name of ours.
  const apiKey = planner.secret(key ?? `portkey:${owner}`, variable, holds);
  const resource = textOf(target['resource_name']) ?? textOf(target['azure_resource_name']);
  const azure =
    preset === 'azure' && resource !== undefined ? `https://${resource}.openai.azure.com/openai/v1` : undefined;
  if (preset === 'azure' && (address ?? azure) === undefined) {
    planner.needs('AZURE_OPENAI_ENDPOINT', 'the address of the resource');
  }
  const baseUrl = address ?? azure;
  const cloud = toCloud(target, preset);
  const slug = planner.provider({
    ...(virtual !== undefined && { slug: virtual }),
    ...(preset === undefined ? { wire: 'openai' } : { preset }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(cloud !== undefined && { cloud }),
    ...(preset?.startsWith('vertex') !== true && { apiKey }),
  });
  const model = textOf(treeOf(target['override_params'])['model']);
  const rest = otherFields(treeOf(target['override_params']), ['model']);
  if (rest.length > 0) {
    planner.line('setting', `${place}: override_params`, null, `${rest.join(', ')}: callers set their own parameters`);
  }
  return { slug, model: model?.replace(/^@[^/]+\//, '') };
}

/** `openai-production` is of OpenAI, most probably. */
const guessKind = (virtual: string): string | undefined =>
  Object.keys(PRESET_OF).find((kind) => virtual === kind || virtual.startsWith(`${kind}-`));

function toCloud(target: Tree, preset: string | undefined): Record<string, string> | undefined {
  const region = textOf(target[preset === 'bedrock' ? 'aws_region' : 'vertex_region']);
  const project = textOf(target['vertex_project_id']);
  if (preset === 'bedrock') return region === undefined ? undefined : { region };
  if (preset !== 'vertex') return undefined;
  return { ...(region !== undefined && { region }), ...(project !== undefined && { project }) };
}

function planRetries(config: Tree, planner: Planner): void {
  const attempts = wholeOf(treeOf(config['retry'])['attempts']);
  if (attempts !== undefined) {
    const retries = Math.min(attempts, 2);
    const before = planner.config.routing?.retriesAtEndpoint ?? 0;
    planner.config.routing = { ...planner.config.routing, retriesAtEndpoint: Math.max(before, retries) };
    planner.line('retries', `${attempts}`, `routing.retriesAtEndpoint ${retries}`, 'for all models');
  }
  const timeoutMs = wholeOf(config['request_timeout']);
  if (timeoutMs !== undefined) {
    const nonStreamMs = Math.max(timeoutMs, planner.config.timeouts?.nonStreamMs ?? 0);
    planner.config.timeouts = { nonStreamMs };
    planner.line('time limit', `${timeoutMs} ms`, `timeouts.nonStreamMs ${nonStreamMs}`, 'for all models');
  }
}

function planVirtualKey(row: Tree, planner: Planner): void {
  const slug = planner.config.providers.find((one) => one.slug === toName(textOf(row['slug']) ?? ''))?.slug;
  const hasLimits = row['usage_limits'] != null || treesOf(row['rate_limits']).length > 0;
  const note = hasLimits ? 'its limits stay behind: limits hold for keys and workspaces' : '';
  const unused = 'no config uses it: add its provider in the UI or the config';
  planner.line(
    'virtual key',
    nameOf(row),
    slug === undefined ? null : `provider ${slug}`,
    slug === undefined ? unused : note,
  );
}

function planWorkspace(row: Tree, planner: Planner): string {
  const usage = treesOf(row['usage_limits'])[0] ?? treeOf(row['usage_limits']);
  const { limit, odd } = toLimit(usage['credit_limit'], usage['periodic_reset']);
  const slug = planner.workspace({
    slug: textOf(row['slug']),
    name: nameOf(row),
    description: textOf(row['description']) ?? null,
    budgets: limit === null || limit.limitUsd === 0 ? [] : [limit],
    allowedModels: null,
    defaultModel: null,
  });
  planner.line('workspace', nameOf(row), `workspace ${slug}${describeLimit(limit)}`, describeOdd(odd));
  return slug;
}

function planKey(row: Tree, slugs: ReadonlyMap<string, string>, planner: Planner): void {
  const usage = treesOf(row['usage_limits'])[0] ?? treeOf(row['usage_limits']);
  const { limit, odd } = toLimit(usage['credit_limit'], usage['periodic_reset']);
  const workspace = slugs.get(textOf(row['workspace_id']) ?? '') ?? null;
  const named = planner.key({
    source: textOf(row['id']) ?? nameOf(row),
    name: nameOf(row),
    hash: null,
    workspace,
    limit,
    includesByok: false,
    disabled: row['status'] !== undefined && row['status'] !== 'active',
    expiresAt: momentOf(row['expires_at']),
  });
  const odds: string[] = [];
  for (const rate of treesOf(row['rate_limits'])) {
    const [what, value] = [textOf(rate['type']) ?? 'requests', wholeOf(rate['value'])];
    if (rate['unit'] === 'rpm') planner.rates(named, { [what === 'tokens' ? 'tokens' : 'requests']: value });
    else
      odds.push(
        `the limit of ${what} by ${textOf(rate['unit']) ?? 'another time'} stays behind: here they are by minute`,
      );
  }
  const config = textOf(treeOf(row['defaults'])['config_id']);
  const notes = [
    describeOdd(odd),
    ...odds,
    config === undefined ? '' : `it used the config ${config}: callers name a model`,
  ];
  const becomes = `a new key in ${workspace ?? 'default'}${describeLimit(limit)}`;
  planner.line('key', named, becomes, notes.filter(Boolean).join('; '));
}
