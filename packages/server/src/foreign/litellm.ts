import { createHash } from 'node:crypto';

import { UsageError } from '../process/flags.ts';
import { planSettings, SECTIONS } from './litellm-settings.ts';
import type { ForeignFile, MovePlan } from './plan.ts';
import { createPlanner, describeLimit, describeOdd, type Planner, toBaseUrl, toLimit } from './planner.ts';
import {
  fieldsOf,
  isTree,
  lookUp,
  momentOf,
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

/** LiteLLM's names of providers, before the slash of a model, and the presets that they are here. */
const PRESET_OF: Readonly<Record<string, string>> = {
  openai: 'openai',
  'text-completion-openai': 'openai',
  azure: 'azure',
  anthropic: 'anthropic',
  gemini: 'google',
  vertex_ai: 'vertex',
  bedrock: 'bedrock',
  mistral: 'mistral',
  groq: 'groq',
  together_ai: 'together',
  fireworks_ai: 'fireworks',
  deepinfra: 'deepinfra',
  deepseek: 'deepseek',
  xai: 'xai',
  cerebras: 'cerebras',
  cohere: 'cohere',
  cohere_chat: 'cohere',
  perplexity: 'perplexity',
  openrouter: 'openrouter',
  nvidia_nim: 'nvidia',
  moonshot: 'moonshot',
  dashscope: 'alibaba',
  voyage: 'voyage',
  jina_ai: 'jina',
  ollama: 'ollama',
  ollama_chat: 'ollama',
  lm_studio: 'lmstudio',
  hosted_vllm: 'vllm',
};

/** Those that speak OpenAI's wire at an address of the file. */
const BY_ADDRESS: ReadonlySet<string> = new Set(['custom_openai', 'openai_like', 'litellm_proxy', 'azure_ai']);

const MODALITY_OF: Readonly<Record<string, string>> = {
  embedding: 'embeddings',
  image_generation: 'image',
  rerank: 'rerank',
};

/** `config.yaml` of LiteLLM's proxy, the answers of `/model/info`, `/team/list` and `/key/list`, and dumps of its tables. */
export function planLitellm(files: readonly ForeignFile[]): MovePlan {
  const planner = createPlanner('litellm');
  const isConfig = ({ tree }: ForeignFile): boolean =>
    isTree(tree) && SECTIONS.some((section) => isTree(tree[section]) || Array.isArray(tree[section]));
  const configs = files.filter(isConfig).map(({ tree }) => treeOf(tree));
  const rows = files.filter((file) => !isConfig(file)).flatMap(({ tree }) => rowsOf(tree));
  const models = rows.filter((row): row is Tree => isTree(row) && isTree(row['litellm_params']));
  const teams = rows.filter((row): row is Tree => isTree(row) && isTeam(row));
  const keys = rows.filter((row) => typeof row === 'string' || (isTree(row) && isKey(row)));
  if (configs.length + models.length + teams.length + keys.length === 0) {
    throw new UsageError(
      'Nothing of LiteLLM is in these files: it takes config.yaml of the proxy, and what /model/info, /team/list and ' +
        '/key/list?return_full_object=true return.',
    );
  }
  for (const config of configs) treesOf(config['model_list']).forEach((entry) => planDeployment(entry, planner));
  models.forEach((entry) => planDeployment(entry, planner));
  for (const config of configs) planSettings(config, planner);
  const slugs = new Map(teams.map((team) => [textOf(team['team_id']) ?? '', planTeam(team, planner)]));
  keys.forEach((key) => planKey(key, slugs, planner));
  for (const row of rows) {
    if (isTree(row) && !models.includes(row) && !teams.includes(row) && !keys.includes(row)) planOther(row, planner);
  }
  return planner.toPlan();
}

const isTeam = (row: Tree): boolean => 'team_id' in row && !('token' in row) && !('key_name' in row);
const isKey = (row: Tree): boolean => 'token' in row || 'key_alias' in row || 'key_name' in row;

const PARAMS = ['model', 'api_key', 'api_base', 'api_version', 'custom_llm_provider'];
const PRICES = ['input_cost_per_token', 'output_cost_per_token', 'cache_read_input_token_cost'];
const CLOUD = fieldsOf(
  'aws_region_name aws_profile_name aws_role_name aws_access_key_id aws_secret_access_key vertex_project vertex_location',
);
const INFO = ['id', 'mode', 'base_model', 'max_tokens', 'max_input_tokens', 'max_output_tokens', 'db_model'];

function planDeployment(entry: Tree, planner: Planner): void {
  const name = textOf(entry['model_name']);
  const params = treeOf(entry['litellm_params']);
  const info = treeOf(entry['model_info']);
  const path = textOf(params['model']);
  if (name === undefined || path === undefined) {
    return planner.line('model', name ?? '(no name)', null, 'it has no model_name, or no litellm_params.model');
  }
  const [kind, providerModel] = splitPath(path, params);
  const mode = textOf(info['mode']) ?? 'chat';
  if (name === '*') return planner.line('model', name, null, 'a wildcard needs an author here: openai/*, anthropic/*');
  if (!['chat', 'completion', 'responses', ...Object.keys(MODALITY_OF)].includes(mode)) {
    return planner.line('model', name, null, `models of the mode ${mode} are described by hand: see docs/audio.md`);
  }
  const slug = planProvider(kind, params, planner);
  if (slug === undefined) {
    const note = `there is no provider ${kind} here; name a wire and an address in the config`;
    return planner.line('model', name, null, note);
  }
  const price = (field: string): string | undefined => toPrice(params[field] ?? info[field]);
  const [prompt, completion, cached] = PRICES.map(price);
  const isWildcard = path.endsWith('*');
  const facts = {
    ...((prompt ?? completion) !== undefined && {
      pricing: {
        ...(prompt !== undefined && { prompt }),
        ...(completion !== undefined && { completion }),
        ...(cached !== undefined && { input_cache_read: cached }),
      },
    }),
    ...toTokens('max_completion_tokens', info['max_output_tokens'] ?? info['max_tokens']),
    ...toTokens('max_prompt_tokens', info['max_input_tokens']),
  };
  const wildcard = name.includes('/') ? name : `${kind}/*`;
  const id = planner.model({ name: isWildcard ? wildcard : name, modalities: lookUp(MODALITY_OF, mode) }, [
    isWildcard ? { provider: slug } : planner.endpoint(slug, providerModel, facts),
  ]);
  const rest = [...otherFields(params, [...PARAMS, ...PRICES, ...CLOUD]), ...otherFields(info, [...INFO, ...PRICES])];
  planner.line('model', name, `${id} at ${slug}`, rest.length === 0 ? '' : `without ${rest.join(', ')}`);
}

/** The provider and its model: `azure/my-deployment`. Names without a slash are told by what they begin with. */
function splitPath(path: string, params: Tree): readonly [string, string] {
  const given = textOf(params['custom_llm_provider']);
  const [first = '', ...rest] = path.split('/');
  const isKnown = Object.hasOwn(PRESET_OF, first) || BY_ADDRESS.has(first);
  if (isKnown && rest.length > 0) return [given ?? first, rest.join('/')];
  if (given !== undefined) return [given, path];
  if (/^(gpt-|chatgpt|o\d|text-embedding|dall-e|ft:gpt)/.test(path)) return ['openai', path];
  if (path.startsWith('claude')) return ['anthropic', path];
  if (params['api_base'] !== undefined) return ['custom_openai', path];
  return [rest.length > 0 ? first : path, rest.length > 0 ? rest.join('/') : path];
}

function planProvider(kind: string, params: Tree, planner: Planner): string | undefined {
  const base = textOf(params['api_base']);
  const isReference = base?.startsWith('os.environ/') === true;
  const address = isReference ? undefined : toBaseUrl(base);
  const isVertexClaude = kind === 'vertex_ai' && textOf(params['model'])?.includes('claude') === true;
  const preset = isVertexClaude ? 'vertex-anthropic' : lookUp(PRESET_OF, kind);
  if (preset === undefined && !BY_ADDRESS.has(kind)) return undefined;
  if (base !== undefined && address === undefined && preset !== 'azure') {
    planner.line('address', isReference ? base : kind, null, 'an address stands in the config itself, without a query');
    return undefined;
  }
  if (preset === undefined && address === undefined) return undefined;
  if (preset === 'azure' && address === undefined)
    planner.needs('AZURE_OPENAI_ENDPOINT', 'the address of the resource');
  const key = textOf(params['api_key']);
  const apiKey =
    key === undefined
      ? undefined
      : planner.secret(key, `litellm_${kind}_key`, `the key of ${kind} (litellm_params.api_key)`);
  if (apiKey === undefined) noteOwnKey(preset, address, params, planner);
  return planner.provider({
    ...(preset === undefined ? { wire: 'openai' } : { preset }),
    ...(address !== undefined && { baseUrl: withVersion(address, preset) }),
    ...toCloud(params, preset),
    ...(apiKey === undefined ? address !== undefined && { apiKey: null } : { apiKey }),
  });
}

/** Where the file names no key, LiteLLM reads the variables of the provider, as the preset does here. */
function noteOwnKey(preset: string | undefined, address: string | undefined, params: Tree, planner: Planner): void {
  if (preset === undefined || address !== undefined) return;
  if (preset === 'bedrock' && params['aws_access_key_id'] !== undefined) {
    planner.needs('AWS_ACCESS_KEY_ID', 'the key of AWS (aws_access_key_id)');
    return planner.needs('AWS_SECRET_ACCESS_KEY', 'the secret of that key (aws_secret_access_key)');
  }
  const variable = planner.presetKey(preset);
  if (variable !== null) planner.needs(variable, `the key of ${preset}`);
}

function withVersion(address: string, preset: string | undefined): string {
  if (preset === 'azure') return /\/openai/.test(address) ? address : `${address}/openai/v1`;
  const isBare = (preset === 'ollama' || preset === 'anthropic') && !address.endsWith('/v1');
  return isBare ? `${address}/v1` : address;
}

function toCloud(params: Tree, preset: string | undefined): { cloud?: Record<string, string> } {
  const pick = (names: Readonly<Record<string, string>>) =>
    Object.entries(names).flatMap(([ours, theirs]) => {
      const value = textOf(params[theirs]);
      return value === undefined || value.startsWith('os.environ/') ? [] : [[ours, value] as const];
    });
  const aws = { region: 'aws_region_name', profile: 'aws_profile_name', roleArn: 'aws_role_name' };
  const google = { region: 'vertex_location', project: 'vertex_project' };
  const found = preset === 'bedrock' ? pick(aws) : preset?.startsWith('vertex') === true ? pick(google) : [];
  return found.length === 0 ? {} : { cloud: Object.fromEntries(found) };
}

/** A price as decimal text: files have `1.5e-07`. */
function toPrice(value: unknown): string | undefined {
  const price = numberOf(value);
  if (price === undefined) return undefined;
  return price.toFixed(15).replace(/\.?0+$/, '') || '0';
}

const toTokens = (field: string, value: unknown): object => {
  const tokens = wholeOf(value);
  return tokens === undefined ? {} : { [field]: tokens };
};

const TEAM = ['team_id', 'team_alias', 'max_budget', 'budget_duration', 'models', 'spend', 'budget_reset_at'];
/** Facts of a row, as opposed to settings. */
const FACTS = [
  'created_at',
  'updated_at',
  'created_by',
  'updated_by',
  'keys',
  'keys_count',
  'organization_id',
  'object',
];

function planTeam(team: Tree, planner: Planner): string {
  const name = textOf(team['team_alias']) ?? textOf(team['team_id']) ?? 'team';
  const { limit, odd } = toLimit(team['max_budget'], team['budget_duration']);
  const budgets = limit === null || limit.limitUsd === 0 ? [] : [limit];
  const { allowed, note } = toAllowed(team['models'], planner);
  const slug = planner.workspace({ name, description: null, budgets, allowedModels: allowed, defaultModel: null });
  const rest = otherFields(team, [...TEAM, ...FACTS]);
  const notes = [describeOdd(odd), note, rest.length === 0 ? '' : `without ${rest.join(', ')}`];
  planner.line('team', name, `workspace ${slug}${describeLimit(limit)}`, notes.filter(Boolean).join('; '));
  return slug;
}

/** Ids of the models of a list; null for all. */
function toAllowed(value: unknown, planner: Planner): { allowed: readonly string[] | null; note: string } {
  const names = textsOf(value);
  if (names.length === 0 || names.some((name) => /^(\*|all-proxy-models|all-team-models)$/.test(name))) {
    return { allowed: null, note: '' };
  }
  const unknown = names.filter((name) => planner.findModel(name) === undefined);
  const note = unknown.length === 0 ? '' : `not among the models: ${unknown.join(', ')}`;
  return { allowed: names.map((name) => planner.findModel(name) ?? name), note };
}

const KEY = fieldsOf(
  'token key key_name key_alias team_id max_budget budget_duration models expires blocked ' +
    'rpm_limit tpm_limit max_parallel_requests spend budget_reset_at team_alias key_type last_active ' +
    'rotation_count user_id id',
);

/** Keys there are known by their SHA-256, as here: callers stay with theirs. */
function planKey(row: unknown, slugs: ReadonlyMap<string, string>, planner: Planner): void {
  if (!isTree(row)) {
    const note = 'only hashes are there: export /key/list?return_full_object=true';
    return planner.line('key', '(without a name)', null, note);
  }
  const hash = hashOf(textOf(row['token']) ?? textOf(row['key']));
  const name = textOf(row['key_alias']) ?? (hash === null ? 'litellm key' : `litellm ${hash.slice(0, 8)}`);
  const source = hash ?? name;
  const team = textOf(row['team_id']);
  const workspace = team === undefined ? null : (slugs.get(team) ?? null);
  const { limit, odd } = toLimit(row['max_budget'], row['budget_duration']);
  const { allowed, note } = toAllowed(row['models'], planner);
  const named = planner.key({
    source,
    name,
    hash,
    workspace,
    limit,
    includesByok: false,
    disabled: row['blocked'] === true,
    expiresAt: momentOf(row['expires']),
  });
  const [requests, tokens, calls] = ['rpm_limit', 'tpm_limit', 'max_parallel_requests'].map((field) =>
    wholeOf(row[field]),
  );
  planner.rates(hash ?? named, { requests, tokens, calls });
  if (allowed !== null) {
    const demands = { allowed_models: [...allowed] };
    planner.guardrail({ source: `key ${source}`, name: `Models of ${named}`, workspace, demands, keys: [source] });
  }
  const rest = otherFields(row, [...KEY, ...FACTS]);
  const notes = [
    team !== undefined && workspace === null ? 'its team is not in the files: it goes to the default workspace' : '',
    describeOdd(odd),
    note,
    rest.length === 0 ? '' : `without ${rest.join(', ')}`,
  ];
  const becomes = `${hash === null ? 'a new key' : 'the same key'} in ${workspace ?? 'default'}${describeLimit(limit)}`;
  planner.line('key', named, becomes, notes.filter(Boolean).join('; '));
}

/** The SHA-256 of a key; what is no hash is the text of the key itself. */
function hashOf(token: string | undefined): string | null {
  if (token === undefined) return null;
  return /^[0-9a-f]{64}$/i.test(token) ? token.toLowerCase() : createHash('sha256').update(token).digest('hex');
}

function planOther(row: Tree, planner: Planner): void {
  const name = textOf(row['user_email']) ?? textOf(row['user_id']) ?? textOf(row['budget_id']) ?? '(unnamed)';
  if ('budget_id' in row)
    return planner.line('budget', name, null, 'a budget of its own: set it at keys and workspaces');
  if ('user_id' in row) return planner.line('user', name, null, 'add people in the UI, or by POST /admin/v1/members');
  planner.line('entry', name, null, 'not known here');
}
