import type { Planner } from './planner.ts';
import { toLimit } from './planner.ts';
import {
  isTree,
  listOf,
  lookUp,
  numberOf,
  otherFields,
  textOf,
  textsOf,
  type Tree,
  treeOf,
  wholeOf,
} from './read-tree.ts';

/** The sections of LiteLLM's config file. */
export const SECTIONS = ['model_list', 'litellm_settings', 'router_settings', 'general_settings'];

const SORT_OF: Readonly<Record<string, string | null>> = {
  'simple-shuffle': null,
  'latency-based-routing': 'latency',
  'cost-based-routing': 'price',
};

const ROUTER = ['model_group_alias', 'fallbacks', 'context_window_fallbacks', 'num_retries', 'timeout'];
const LITELLM = ['fallbacks', 'context_window_fallbacks', 'num_retries', 'request_timeout', 'max_budget'];

/** Aliases, fallbacks, strategy, limits and the master key of a config file, whose models are planned already. */
export function planSettings(config: Tree, planner: Planner): void {
  const router = treeOf(config['router_settings']);
  const litellm = treeOf(config['litellm_settings']);
  const general = treeOf(config['general_settings']);
  for (const [alias, target] of Object.entries(treeOf(router['model_group_alias']))) {
    const model = textOf(isTree(target) ? target['model'] : target) ?? '';
    const isMade = planner.alias(alias, model);
    const note = isMade ? '' : `${model || 'its model'} is not among the models, or the name is taken`;
    planner.line('alias', alias, isMade ? `${planner.findModel(model)}, also called ${alias}` : null, note);
  }
  for (const settings of [router, litellm]) {
    planFallbacks('fallback', settings['fallbacks'], planner);
    planFallbacks('fallback for long prompts', settings['context_window_fallbacks'], planner);
  }
  const strategy = textOf(router['routing_strategy']);
  if (strategy !== undefined) planStrategy(strategy, planner);
  const retries = wholeOf(router['num_retries'] ?? litellm['num_retries']);
  if (retries !== undefined) {
    const most = Math.min(retries, 2);
    planner.config.routing = { ...planner.config.routing, retriesAtEndpoint: most };
    planner.line('retries', `${retries}`, `routing.retriesAtEndpoint ${most}`, most < retries ? 'at most 2 here' : '');
  }
  const seconds = numberOf(router['timeout'] ?? litellm['request_timeout']);
  if (seconds !== undefined && seconds > 0) {
    planner.config.timeouts = { nonStreamMs: Math.ceil(seconds * 1000) };
    planner.line('time limit', `${seconds} s`, `timeouts.nonStreamMs ${Math.ceil(seconds * 1000)}`);
  }
  const { limit, odd } = toLimit(litellm['max_budget'], litellm['budget_duration']);
  if (limit !== null && limit.limitUsd > 0) {
    const isPlain = limit.reset === null && odd === undefined;
    if (isPlain) planner.config.account = { creditsUsd: limit.limitUsd };
    const note = isPlain ? '' : 'the account has no budget that renews: set one at its workspaces';
    planner.line('budget', 'of the proxy', isPlain ? `account.creditsUsd ${limit.limitUsd}` : null, note);
  }
  const master = textOf(general['master_key']);
  if (master !== undefined) {
    const key = planner.secret(master, 'LITELLM_MASTER_KEY', 'a management key, as the master key was');
    planner.config.auth = { bootstrapKeys: [{ key, kind: 'management', name: 'master' }] };
    planner.line('key', 'master_key', `management key ${key}`, 'it administers; it calls no models here');
  }
  const rest = [
    ...otherFields(router, [...ROUTER, 'routing_strategy']).map((field) => `router_settings.${field}`),
    ...otherFields(litellm, [...LITELLM, 'budget_duration']).map((field) => `litellm_settings.${field}`),
    ...otherFields(general, ['master_key']).map((field) => `general_settings.${field}`),
    ...otherFields(config, SECTIONS),
  ];
  for (const field of rest)
    planner.line('setting', field, null, lookUp(WHY, field.split('.').at(-1) ?? '') ?? 'not known here');
}

/** Why a setting of LiteLLM has no counterpart, and what is there instead. */
const WHY: Readonly<Record<string, string>> = {
  database_url: 'the database here is another: see store in docs/configuration.md',
  redis_host: 'several instances share state by shared.type "redis"',
  redis_port: 'see redis_host',
  redis_password: 'see redis_host',
  cache: 'responses are cached where a request or a workspace asks for it',
  cache_params: 'responses are cached where a request or a workspace asks for it',
  callbacks: 'calls are sent to destinations: see docs/destinations.md',
  success_callback: 'calls are sent to destinations: see docs/destinations.md',
  failure_callback: 'calls are sent to destinations: see docs/destinations.md',
  drop_params: 'parameters that an endpoint does not know are dropped where it lists those that it knows',
  allowed_fails: 'endpoints rest by themselves when they fail',
  cooldown_time: 'endpoints rest by themselves when they fail',
  default_fallbacks: 'rules name the models that they hold for',
  content_policy_fallbacks: 'see routing.fallbackOnRefusal',
  guardrails: 'guardrails are set in the UI or by POST /guardrails',
  environment_variables: 'variables stay in the environment',
  enable_pre_call_checks: 'prompts that are too long for an endpoint are always kept from it',
};

function planFallbacks(what: string, value: unknown, planner: Planner): void {
  for (const entry of listOf(value)) {
    for (const [asked, others] of Object.entries(treeOf(entry))) {
      const chain = [asked, ...textsOf(others)];
      const known = chain.flatMap((name) => planner.findModel(name) ?? []);
      const [first = ''] = known;
      const arrow = `${asked} to ${textsOf(others).join(', ')}`;
      if (planner.findModel(asked) === undefined || known.length < 2 || first.endsWith('*')) {
        planner.line(what, arrow, null, 'its models are not among those of the file');
        continue;
      }
      planner.rule(`fallback of ${asked}`, first, known);
      const notes = [
        ...(known.length < chain.length ? ['without those that are not in the file'] : []),
        ...(known.length > 4 ? ['the first three only'] : []),
        ...(what === 'fallback' ? [] : ['it holds for every failure here']),
      ];
      planner.line(what, arrow, 'a rule in routing.rules', notes.join('; '));
    }
  }
}

function planStrategy(strategy: string, planner: Planner): void {
  const sort = lookUp(SORT_OF, strategy);
  if (typeof sort === 'string') planner.config.routing = { ...planner.config.routing, sort };
  const becomes = sort === undefined ? null : sort === null ? 'balanced by price' : `routing.sort ${sort}`;
  planner.line('strategy', strategy, becomes, sort === undefined ? 'load is balanced by price, or sorted' : '');
}
