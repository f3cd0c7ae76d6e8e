import { createHash } from 'node:crypto';

import type { ConfiguredModel } from '@model-gateway/core';
import { BUILT_IN_MODELS } from '@model-gateway/core/catalog/built-in-models';
import { PRESETS } from '@model-gateway/core/providers/presets';

import type {
  ForeignGateway,
  Interval,
  MovedConfig,
  MovedGuardrail,
  MovedKey,
  MovedLimit,
  MovedProvider,
  MovedVariable,
  MovedWorkspace,
  MovePlan,
  PlanLine,
} from './plan.ts';
import { lookUp, numberOf, textOf } from './read-tree.ts';

type Endpoint = NonNullable<ConfiguredModel['endpoints']>[number];

/** A provider as it is asked for; its slug is found. */
type WantedProvider = Omit<MovedProvider, 'slug'> & { readonly slug?: string };

/** A model as the foreign gateway names it. */
interface WantedModel {
  /** As callers there name it. */
  readonly name: string;
  readonly modalities?: string | undefined;
  readonly contextLength?: number | undefined;
}

/**
 * Collects a plan. What is asked for twice is there once, names never collide, and the text of a secret is dropped
 * where it comes in: only names of variables are held.
 */
export function createPlanner(gateway: ForeignGateway) {
  const config: MovedConfig = { providers: [], models: [] };
  const workspaces: MovedWorkspace[] = [];
  const keys: MovedKey[] = [];
  const guardrails: MovedGuardrail[] = [];
  const lines: PlanLine[] = [];
  const variables = new Map<string, MovedVariable>();
  const variableOf = new Map<string, string>();
  const slugOf = new Map<string, string>();
  const idOf = new Map<string, string>();

  const line = (what: string, name: string, becomes: string | null, note = ''): void => {
    lines.push({ what, name, becomes, note });
  };

  /** `env:NAME` for a reference or the text of a secret. The same secret is the same variable. */
  const secret = (value: string, proposed: string, holds: string): string => {
    const [, referred] = /^(?:os\.environ\/|env[:.]|\$\{?)(\w+)\}?$/.exec(value) ?? [];
    const known = variableOf.get(value);
    const name = referred ?? known ?? freeName(toVariable(proposed), (taken) => variables.has(taken), '_');
    variableOf.set(value, name);
    if (!variables.has(name)) variables.set(name, { name, holds });
    return `env:${name}`;
  };

  /** The variable that a preset reads its key from; null for none. */
  const presetKey = (preset: string): string | null => PRESETS[preset]?.apiKeyEnv ?? null;

  /** Notes a variable that a preset reads by itself. */
  const needs = (name: string, holds: string): void => {
    if (!variables.has(name)) variables.set(name, { name, holds });
  };

  /** Whether a preset lists the models that it serves. */
  const lists = (preset: string | undefined): boolean => preset !== undefined && PRESETS[preset]?.listsModels === true;

  const provider = (wanted: WantedProvider): string => {
    const { slug: proposed, ...fields } = wanted;
    const same = JSON.stringify(fields);
    const known = slugOf.get(same);
    if (known !== undefined) return known;
    const preset = fields.preset === undefined ? undefined : PRESETS[fields.preset];
    const base = toName(proposed ?? preset?.slug ?? fields.preset ?? hostOf(fields.baseUrl) ?? 'provider');
    const slug = freeName(base, (taken) => config.providers.some((other) => other.slug === taken));
    config.providers.push({ slug, ...fields });
    slugOf.set(same, slug);
    return slug;
  };

  /** The model of a name, made where it is not there yet. Undefined where it cannot be one. */
  const model = ({ name, modalities, contextLength }: WantedModel, endpoints: readonly Endpoint[]): string => {
    const id = idOf.get(name) ?? freeName(toModelId(gateway, name), (taken) => isModelId(taken), '-');
    const at = config.models.findIndex((other) => other.id === id);
    const before = config.models[at];
    const all = [...(before?.endpoints ?? []), ...endpoints];
    const distinct = all.filter(
      (one, index) => all.findIndex((other) => JSON.stringify(other) === JSON.stringify(one)) === index,
    );
    const facts: ConfiguredModel = {
      ...before,
      id,
      ...(id !== name && !id.endsWith('*') && isAliasText(name) && { aliases: [name] }),
      ...(contextLength !== undefined && { context_length: contextLength }),
      ...(modalities !== undefined && { architecture: { output_modalities: [modalities] } }),
      endpoints: distinct,
    };
    if (before === undefined) config.models.push(facts);
    else config.models[at] = facts;
    idOf.set(name, id);
    return id;
  };
  const isModelId = (id: string): boolean => config.models.some((other) => other.id === id);

  /** Gives a model another name. False where it is taken, or cannot be one. */
  const alias = (name: string, target: string): boolean => {
    const id = idOf.get(target);
    const at = config.models.findIndex((other) => other.id === id);
    const found = config.models[at];
    if (id === undefined || found === undefined || idOf.has(name) || !isAliasText(name)) return false;
    config.models[at] = { ...found, aliases: [...(found.aliases ?? []), name] };
    idOf.set(name, id);
    return true;
  };

  /** An endpoint, with the prices of the built-in catalogue where it has the model and none are given. */
  const endpoint = (slug: string, providerModel: string, facts: Partial<Endpoint> = {}): Endpoint => {
    const preset = config.providers.find((other) => other.slug === slug)?.preset;
    const builtIn = BUILT_IN_MODELS.flatMap(({ endpoints, context_length: length }) =>
      endpoints.map((one) => ({ ...one, context_length: one.context_length ?? length ?? undefined })),
    ).find((one) => one.provider === preset && one.providerModel === providerModel);
    const { pricing, context_length: context, max_completion_tokens: most } = builtIn ?? {};
    return {
      provider: slug,
      providerModel,
      ...(pricing !== undefined && { pricing }),
      ...(context !== undefined && { context_length: context }),
      ...(most !== undefined && { max_completion_tokens: most }),
      ...facts,
    };
  };

  const rule = (name: string, asked: string, others: readonly string[]): void => {
    const [model = '', ...models] = others.slice(0, 4);
    const rules = (config.routing ??= {}).rules ?? [];
    const free = freeName(name.slice(0, 90), (taken) => rules.some((other) => other.name === taken));
    config.routing = { ...config.routing, rules: [...rules, { name: free, when: { models: [asked] }, model, models }] };
  };

  const workspace = (wanted: Omit<MovedWorkspace, 'slug'> & { readonly slug?: string | undefined }): string => {
    const isTaken = (taken: string): boolean => taken === 'default' || workspaces.some((other) => other.slug === taken);
    const slug = freeName(toName(wanted.slug ?? wanted.name, 46), isTaken);
    workspaces.push({ ...wanted, slug, name: wanted.name.slice(0, 100) });
    return slug;
  };

  /** Adds a key under a name that no other has; returns that name. */
  const key = (wanted: MovedKey): string => {
    const name = freeName(wanted.name.slice(0, 180), (taken) => keys.some((other) => other.name === taken), ' ');
    keys.push({ ...wanted, name });
    return name;
  };

  /** Limits of a minute, and of calls under way, for a key by its name or hash. */
  const rates = (
    of: string,
    {
      requests,
      tokens,
      calls,
    }: { requests?: number | undefined; tokens?: number | undefined; calls?: number | undefined },
  ): void => {
    const limit = {
      ...(requests !== undefined && { requestsPerMinute: requests }),
      ...(tokens !== undefined && { tokensPerMinute: tokens }),
    };
    if (Object.keys(limit).length > 0) config.rateLimits = [...(config.rateLimits ?? []), { key: of, ...limit }];
    if (calls !== undefined) config.limits = [...(config.limits ?? []), { key: of, callsUnderWay: calls }];
  };

  const toPlan = (): MovePlan => {
    for (const { id, endpoints = [] } of config.models) {
      if (id.endsWith('*') || endpoints.some(({ pricing }) => pricing?.completion !== undefined)) continue;
      if (endpoints.every(({ provider: slug }) => isAtNoCost(config, slug))) continue;
      line('price', id, null, 'not known: keys and workspaces with a limit cannot call it until its pricing is set');
    }
    return { config, workspaces, keys, guardrails, variables: [...variables.values()], lines };
  };

  return {
    config,
    line,
    secret,
    needs,
    presetKey,
    lists,
    provider,
    model,
    alias,
    endpoint,
    rule,
    workspace,
    key,
    rates,
    guardrail: (wanted: MovedGuardrail): void => void guardrails.push(wanted),
    /** The id of a model by one of its foreign names; undefined for none. */
    findModel: (name: string): string | undefined => idOf.get(name),
    toPlan,
  };
}

export type Planner = ReturnType<typeof createPlanner>;

/** Servers of one's own. */
const isAtNoCost = ({ providers }: MovedConfig, slug: string): boolean =>
  /^(ollama|lmstudio|llama-cpp|vllm)$/.test(providers.find((other) => other.slug === slug)?.preset ?? '');

/** The first of `name`, `name-2`, `name-3` that is not taken. */
function freeName(name: string, isTaken: (name: string) => boolean, joint = '-'): string {
  let free = name;
  for (let count = 2; isTaken(free); count += 1) free = `${name}${joint}${count}`;
  return free;
}

/** Lower-case letters and digits in parts joined by hyphens, as slugs have them. */
export function toName(text: string, most = 50): string {
  const parts = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return parts.slice(0, most).replaceAll(/^-+|-+$/g, '') || 'unnamed';
}

const toVariable = (text: string): string =>
  text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .replace(/^(?=\d)/, 'KEY_');

function hostOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).hostname.replace(/^(api|www)\./, '');
}

/** Ids are `author/name`; variants stand behind a colon. */
function toModelId(gateway: ForeignGateway, name: string): string {
  const plain = name.replaceAll(/[\s:]+/g, '-').replaceAll(/^\/+|\/+$/g, '');
  return /^[^/]+\/./.test(plain) ? plain : `${gateway}/${plain || 'model'}`;
}

const isAliasText = (name: string): boolean => name.length <= 200 && /^[^\s:~@][^\s:]*$/.test(name);

/** An address as the config takes it; undefined where it has credentials or a query, or is none. */
export function toBaseUrl(value: unknown): string | undefined {
  const text = textOf(value);
  if (text === undefined || !URL.canParse(text)) return undefined;
  const { protocol, username, password, search, hash } = new URL(text);
  if (!/^https?:$/.test(protocol) || `${username}${password}${search}${hash}` !== '') return undefined;
  return text.replace(/\/+$/, '');
}

/** A UUID that is always the same for the same text. */
export function toUuid(text: string): string {
  const hex = createHash('sha256').update(`model-gateway import ${text}`).digest('hex');
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 3) | 8).toString(16);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}

const INTERVALS: Readonly<Record<string, Interval>> = {
  '1d': 'daily',
  '24h': 'daily',
  daily: 'daily',
  '7d': 'weekly',
  '1w': 'weekly',
  weekly: 'weekly',
  '30d': 'monthly',
  '31d': 'monthly',
  '1mo': 'monthly',
  monthly: 'monthly',
};

/** A limit with its interval. `odd` is an interval that there is none of here; such a limit never resets. */
export function toLimit(usd: unknown, every: unknown): { limit: MovedLimit | null; odd: string | undefined } {
  const limitUsd = numberOf(usd);
  if (limitUsd === undefined) return { limit: null, odd: undefined };
  const text = textOf(every);
  const reset = text === undefined ? null : lookUp(INTERVALS, text.toLowerCase());
  return { limit: { limitUsd, reset: reset ?? null }, odd: reset === undefined ? text : undefined };
}

export const describeLimit = (limit: MovedLimit | null): string =>
  limit === null ? '' : ` with $${limit.limitUsd}${limit.reset === null ? '' : ` ${limit.reset}`}`;

export const describeOdd = (odd: string | undefined): string =>
  odd === undefined ? '' : `the limit renews every ${odd} there and never here: set daily, weekly or monthly`;
