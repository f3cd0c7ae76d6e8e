import { BUILT_IN_MODELS } from '@model-gateway/core/catalog/built-in-models';
import { guardrailSchema } from '@model-gateway/core/setup';

import { UsageError } from '../process/flags.ts';
import type { ForeignFile, MovePlan } from './plan.ts';
import { createPlanner, describeLimit, describeOdd, type Planner, toLimit } from './planner.ts';
import { fieldsOf, isTree, lookUp, momentOf, otherFields, rowsOf, textOf, type Tree, treesOf } from './read-tree.ts';

/** OpenRouter's slugs of providers for which keys can be brought, and the presets that they are here. */
const PRESET_OF: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  'google-ai-studio': 'google',
  'google-vertex': 'vertex',
  'amazon-bedrock': 'bedrock',
  azure: 'azure',
  mistral: 'mistral',
  groq: 'groq',
  together: 'together',
  fireworks: 'fireworks',
  deepinfra: 'deepinfra',
  deepseek: 'deepseek',
  xai: 'xai',
  cerebras: 'cerebras',
  cohere: 'cohere',
  perplexity: 'perplexity',
  moonshotai: 'moonshot',
  alibaba: 'alibaba',
  nvidia: 'nvidia',
};

/** What OpenRouter returns for `/workspaces`, their budgets, `/keys`, `/guardrails` and their assignments, `/byok`, `/presets`. */
export function planOpenrouter(files: readonly ForeignFile[]): MovePlan {
  const planner = createPlanner('openrouter');
  const rows = files.flatMap(({ tree }) => rowsOf(tree)).filter(isTree);
  const kinds = new Map(rows.map((row) => [row, kindOf(row)]));
  const all = (kind: string): readonly Tree[] => rows.filter((row) => kinds.get(row) === kind);
  if (rows.every((row) => kinds.get(row) === 'entry')) {
    throw new UsageError(
      'Nothing of OpenRouter is in these files: it takes what GET /keys, /workspaces, /workspaces/{id}/budgets, ' +
        '/guardrails, /guardrails/assignments/keys, /byok and /presets return.',
    );
  }
  planProviders(all('byok'), planner);
  const budgets = all('budget');
  const slugs = new Map(all('workspace').map((row) => [textOf(row['id']) ?? '', planWorkspace(row, budgets, planner)]));
  const names = new Map(all('key').map((row) => [textOf(row['hash']) ?? '', planKey(row, slugs, planner)]));
  const assignments = all('assignment');
  for (const row of all('guardrail')) planGuardrail(row, { slugs, names, assignments, planner });
  for (const row of all('preset')) {
    planner.line(
      'preset',
      textOf(row['slug']) ?? '(no name)',
      null,
      'presets are made anew: callers send their settings',
    );
  }
  for (const row of all('entry')) planner.line('entry', textOf(row['name']) ?? '(no name)', null, 'not known here');
  return planner.toPlan();
}

function kindOf(row: Tree): string {
  if ('guardrail_id' in row) return 'assignment';
  if ('hash' in row) return 'key';
  if ('is_fallback' in row) return 'byok';
  if ('designated_version' in row || 'designated_version_id' in row) return 'preset';
  if ('default_guardrail_id' in row || ('slug' in row && 'created_by' in row)) return 'workspace';
  if ('limit_usd' in row && 'reset_interval' in row && !('name' in row)) return 'budget';
  return 'allowed_models' in row || 'enforce_zdr' in row || 'limit_usd' in row ? 'guardrail' : 'entry';
}

/** OpenRouter itself serves what it served; keys of providers that were brought there call these providers from here. */
function planProviders(byok: readonly Tree[], planner: Planner): void {
  const apiKey = planner.secret('env:OPENROUTER_API_KEY', 'OPENROUTER_API_KEY', 'a key of OpenRouter');
  const slug = planner.provider({ preset: 'openrouter', apiKey, discoverModels: true });
  for (const { id, name, context_length: length, architecture, endpoints } of BUILT_IN_MODELS) {
    if (architecture?.output_modalities?.includes('text') === false) continue;
    const { pricing, max_completion_tokens: most } = endpoints.find((one) => one.pricing !== undefined) ?? {};
    const facts = {
      ...(pricing !== undefined && { pricing }),
      ...(most !== undefined && { max_completion_tokens: most }),
    };
    planner.config.models.push({
      id,
      ...(name !== undefined && { name }),
      ...(length != null && { context_length: length }),
      ...(architecture !== undefined && { architecture }),
      endpoints: [{ provider: slug, providerModel: id, ...facts }],
    });
  }
  const count = planner.config.models.length;
  planner.line(
    'models',
    'the well-known ones',
    `${count} models under the same names`,
    'through OpenRouter, at the built-in prices',
  );
  planner.line('models', 'all others', `${slug}/AUTHOR/NAME`, 'without prices: keys with a limit cannot call them');
  for (const row of byok) {
    const provider = textOf(row['provider']) ?? '';
    const preset = lookUp(PRESET_OF, provider);
    const name = textOf(row['name']) ?? provider;
    if (preset === undefined) {
      planner.line('own key', name, null, `there is no provider ${provider} here`);
      continue;
    }
    if (row['disabled'] === true) {
      planner.line('own key', name, null, 'it is disabled there');
      continue;
    }
    const variable = planner.presetKey(preset) ?? '';
    if (preset === 'azure') planner.needs('AZURE_OPENAI_ENDPOINT', 'the address of the resource');
    if (preset === 'bedrock') planner.needs('AWS_REGION', 'the region of AWS');
    const isFirst = planner.config.providers.every((other) => other.preset !== preset);
    const text = isFirst && variable !== '' ? `env:${variable}` : `openrouter:${textOf(row['id']) ?? name}`;
    const own =
      preset === 'vertex' ? undefined : planner.secret(text, `${provider}_API_KEY`, `the key “${name}” of ${provider}`);
    const made = planner.provider({ preset, ...(own !== undefined && { apiKey: own }) });
    const rest = ['allowed_models', 'allowed_api_key_hashes', 'allowed_user_ids', 'workspace_id'].filter(
      (field) => row[field] != null,
    );
    const notes = [
      rest.length === 0 ? '' : `for all: without ${rest.join(', ')}`,
      row['is_fallback'] === true ? 'it takes part from the beginning, not as a fallback' : '',
    ];
    planner.line('own key', name, `provider ${made}`, notes.filter(Boolean).join('; '));
  }
}

const WORKSPACE = fieldsOf(
  'id slug name description default_text_model default_guardrail_id created_at created_by ' +
    'updated_at io_logging_sampling_rate is_observability_broadcast_enabled ' +
    'is_observability_io_logging_enabled',
);

function planWorkspace(row: Tree, all: readonly Tree[], planner: Planner): string | null {
  const id = textOf(row['id']);
  const slug = textOf(row['slug']);
  const name = textOf(row['name']) ?? slug ?? 'workspace';
  const isDefault = slug === 'default';
  const budgets = all
    .filter((budget) => budget['workspace_id'] === id)
    .map((budget) => toLimit(budget['limit_usd'], budget['reset_interval']).limit)
    .filter((limit) => limit !== null);
  if (isDefault) {
    const note = budgets.length === 0 ? '' : 'its budgets stay behind: set them at the default workspace';
    planner.line('workspace', name, 'the default workspace', note);
    return null;
  }
  const made = planner.workspace({
    slug,
    name,
    description: textOf(row['description']) ?? null,
    budgets,
    allowedModels: null,
    defaultModel: textOf(row['default_text_model']) ?? null,
  });
  const rest = otherFields(row, WORKSPACE);
  const limits = budgets.map(describeLimit).join(' and');
  planner.line('workspace', name, `workspace ${made}${limits}`, rest.length === 0 ? '' : `without ${rest.join(', ')}`);
  return made;
}

function planKey(row: Tree, slugs: ReadonlyMap<string, string | null>, planner: Planner): string {
  const { limit, odd } = toLimit(row['limit'], row['limit_reset']);
  const workspace = slugs.get(textOf(row['workspace_id']) ?? '') ?? null;
  const named = planner.key({
    source: textOf(row['hash']) ?? '',
    name: textOf(row['name']) ?? 'openrouter key',
    hash: null,
    workspace,
    limit,
    includesByok: row['include_byok_in_limit'] === true,
    disabled: row['disabled'] === true,
    expiresAt: momentOf(row['expires_at']),
  });
  planner.line('key', named, `a new key in ${workspace ?? 'default'}${describeLimit(limit)}`, describeOdd(odd));
  return named;
}

interface GuardrailParts {
  readonly slugs: ReadonlyMap<string, string | null>;
  readonly names: ReadonlyMap<string, string>;
  readonly assignments: readonly Tree[];
  readonly planner: Planner;
}

/** The demands that have the same names and values here. */
const SAME = fieldsOf(
  'description limit_usd reset_interval include_byok_in_budgets allowed_providers ' +
    'ignored_providers allowed_models ignored_models allowed_data_regions enforce_zdr ' +
    'enforce_zdr_anthropic enforce_zdr_openai enforce_zdr_google enforce_zdr_xai enforce_zdr_other ' +
    'enable_paid_model_training enable_free_model_training enable_free_model_publication ' +
    'content_filter_builtins content_filters',
);

function planGuardrail(row: Tree, { slugs, names, assignments, planner }: GuardrailParts): void {
  const id = textOf(row['id']) ?? '';
  const name = textOf(row['name']) ?? 'guardrail';
  const keys = assignments
    .filter((one) => one['guardrail_id'] === id)
    .flatMap((one) => textOf(one['key_hash']) ?? [])
    .filter((hash) => names.has(hash));
  const { content_filter_builtins: builtIns, ...others } = Object.fromEntries(
    SAME.flatMap((field) => (row[field] == null ? [] : [[field, row[field]]])),
  );
  // Their labels are for display alone.
  const unlabelled = treesOf(builtIns).map(({ label: _, ...filter }) => filter);
  const checked = guardrailSchema
    .partial()
    .safeParse({ ...others, ...(unlabelled.length > 0 && { content_filter_builtins: unlabelled }) });
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const note = `${issue?.path.join('.') ?? 'it'} ${issue?.message ?? 'is not valid'}`;
    return planner.line('guardrail', name, null, note);
  }
  const workspace = slugs.get(textOf(row['workspace_id']) ?? '') ?? null;
  planner.guardrail({ source: `guardrail ${id}`, name, workspace, demands: checked.data, keys });
  const rest = otherFields(row, [...SAME, 'id', 'name', 'workspace_id', 'created_at', 'updated_at']);
  const notes = [
    rest.length === 0 ? '' : `without ${rest.join(', ')}`,
    keys.length === 0 ? 'assigned to no key of the files' : '',
  ];
  planner.line('guardrail', name, `a guardrail of ${keys.length} keys`, notes.filter(Boolean).join('; '));
}
