import type { FieldKind, GENERATION_FIELDS, GenerationField } from '@model-gateway/core/wire';

import { API_TYPES } from '../../../app/call-kinds.ts';
import type { GenerationSearch } from './generation-search.ts';

/** Filters that a line of the filter box means, and its words that mean nothing. */
export interface FilterText {
  readonly filters: Pick<
    GenerationSearch,
    'model' | 'provider' | 'key' | 'member' | 'app' | 'session' | 'status' | 'min_cost' | 'max_cost' | 'where' | 'text'
  >;
  readonly problems: readonly string[];
}

/** Hashes of keys by their names. */
export type KeyHashes = ReadonlyMap<string, string>;

/** Fields that have a filter of their own in the address; conditions of another form go into `where`. */
const OWN = ['model', 'provider', 'key', 'member', 'app', 'session', 'status'] as const;
const STATUSES: Readonly<Record<string, string>> = { error: 'failed', canceled: 'cancelled' };
const NO_KEYS: KeyHashes = new Map();

/** A condition or a text; what is quoted may have white space in it. */
const WORD = /(?:"(?:[^"\\]|\\.)*(?:"|$)|[^\s"])+|\S+/g;
const CONDITION = /^(-?)([a-z_]+)(:|>=|<=|>|<)(.*)$/s;
const VALUE = /"((?:[^"\\]|\\.)*)"|([^,"]+)/g;

/**
 * Reads a line such as `model:acme/chat -status:ok attempts>1 app:"My tool" "timed out"`. Several values of a name are
 * separated by commas; everything else is looked for as text.
 */
export function parseFilterText(line: string, keys: KeyHashes = NO_KEYS): FilterText {
  const filters: Record<string, string> = {};
  const problems: string[] = [];
  const words: string[] = [];
  const where: string[] = [];
  for (const { 0: word, index } of line.matchAll(WORD)) {
    const read = readWord(word, keys);
    if (typeof read === 'string') problems.push(`“${word}” (character ${index + 1}): ${read}`);
    else if ('text' in read) words.push(read.text);
    else addCondition(read, filters, where);
  }
  const text = words.join(' ').trim();
  if (text.length === 1) problems.push('Enter at least two characters');
  else if (text !== '') filters['text'] = text;
  if (where.length > 0) filters['where'] = where.join(' ');
  return { filters, problems };
}

interface Condition {
  readonly name: string;
  readonly sign: string;
  readonly values: readonly string[];
  readonly isNegated: boolean;
}

/** What a word means, or what is wrong with it. */
function readWord(word: string, keys: KeyHashes): Condition | { readonly text: string } | string {
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/s.exec(word) ?? [];
  if (quoted !== undefined) return { text: unescape(quoted) };
  const [, minus, name = '', sign = '', rest = ''] = CONDITION.exec(word) ?? [];
  if (name === '') return { text: word.replaceAll('"', '') };
  if (!isField(name)) return `unknown field “${name}”; use quotes to search for it as text`;
  const { kind } = FILTER_FIELDS[name];
  if (rest.replaceAll(/\\./gs, '').split('"').length % 2 === 0) return 'a closing quote is missing';
  const texts = [...rest.matchAll(VALUE)].map(([, inQuotes, bare = '']) =>
    inQuotes === undefined ? bare : unescape(inQuotes),
  );
  if (texts.length === 0) return 'needs a value';
  if (sign !== ':' && (kind === 'text' || kind === 'yes-no')) return `${name} takes : alone`;
  if (sign !== ':' && texts.length > 1) return 'takes one value';
  const values = texts.map((text) => (name === 'status' ? (STATUSES[text] ?? text) : text));
  const statuses = FILTER_FIELDS.status.values ?? [];
  if (name === 'status' && !values.every((value) => statuses.includes(value)))
    return 'use ok, failed, cancelled or interrupted';
  if (!values.every((value) => FORMS[kind].test(value))) return EXAMPLES[kind];
  const isNegated = minus === '-';
  return { name, sign, isNegated, values: name === 'key' ? values.map((key) => keys.get(key) ?? key) : values };
}

const unescape = (text: string): string => text.replaceAll(/\\(.)/gs, '$1');

/** As the gateway takes values. */
const FORMS: Readonly<Record<FieldKind, RegExp>> = {
  text: /./s,
  'yes-no': /^(yes|no)$/,
  usd: /^\$?\d{1,15}(\.\d{1,12})?$/,
  time: /^\d{1,15}(\.\d{1,12})?(ms|s|m)?$/,
  number: /^\d{1,15}(\.\d{1,12})?[km]?$/i,
};
const EXAMPLES: Readonly<Record<FieldKind, string>> = {
  text: 'needs a value',
  'yes-no': 'use yes or no',
  usd: 'enter an amount in USD, e.g. 0.01',
  time: 'enter a time, e.g. 300ms, 2s or 1.5m',
  number: 'enter a number, e.g. 2 or 10k',
};

function addCondition(condition: Condition, filters: Record<string, string>, where: string[]): void {
  const { name, sign, values, isNegated } = condition;
  const own = isNegated ? undefined : toOwnName(condition);
  if (own !== undefined && filters[own] === undefined) filters[own] = values.join(',').replace(/^\$/, '');
  else where.push(`${isNegated ? '-' : ''}${name}${sign}${values.map(quote).join(',')}`);
}

/** The filter of its own that says the same as a condition. */
function toOwnName({ name, sign, values }: Condition): string | undefined {
  if (name === 'cost') return sign === '>=' ? 'min_cost' : sign === '<=' ? 'max_cost' : undefined;
  const isPlain = values.every((value) => !/[*,]/.test(value)) && (name !== 'session' || values.length === 1);
  return sign === ':' && isPlain && OWN.some((own) => own === name) ? name : undefined;
}

/** A value as the language takes it, in quotes where it needs them. */
export const quote = (value: string): string =>
  /[\s,"\\]/.test(value) ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : value;

/** Writes filters as a line that reads the same; `names` are those of keys by their hashes. */
export function toFilterText(search: GenerationSearch, names: ReadonlyMap<string, string> = NO_KEYS): string {
  const parts = OWN.flatMap((name) => {
    const value = search[name];
    if (value === undefined) return [];
    const values = name === 'session' ? [value] : value.split(',');
    return [`${name}:${values.map((one) => quote(name === 'key' ? (names.get(one) ?? one) : one)).join(',')}`];
  });
  if (search.min_cost !== undefined) parts.push(`cost>=${search.min_cost}`);
  if (search.max_cost !== undefined) parts.push(`cost<=${search.max_cost}`);
  if (search.where !== undefined) parts.push(search.where);
  if (search.text !== undefined)
    parts.push(/[:<>"]/.test(search.text) ? `"${search.text.replaceAll(/["\\]/g, String.raw`\$&`)}"` : search.text);
  return parts.join(' ');
}

interface FilterField<Kind extends FieldKind = FieldKind> {
  readonly kind: Kind;
  /** What it is, for suggestions. */
  readonly about: string;
  /** Values that are always suggested. */
  readonly values?: readonly string[];
}

const YES_NO = ['yes', 'no'] as const;

/** The fields of the filter language, as the gateway has them, the most useful first. */
export const FILTER_FIELDS: { readonly [Name in GenerationField]: FilterField<(typeof GENERATION_FIELDS)[Name]> } = {
  model: { kind: 'text', about: 'Model, whole or with *' },
  provider: { kind: 'text', about: 'Last provider' },
  key: { kind: 'text', about: 'Key, by its name' },
  status: { kind: 'text', about: 'How it ended', values: ['ok', 'failed', 'cancelled', 'interrupted'] },
  cost: { kind: 'usd', about: 'USD, such as cost>0.05' },
  attempts: { kind: 'number', about: 'Number of attempts, e.g. attempts>1' },
  latency: { kind: 'time', about: 'Time to first token, e.g. latency>=2s' },
  duration: { kind: 'time', about: 'Total duration' },
  error: {
    kind: 'text',
    about: 'Why an attempt failed: a type or an HTTP status',
    values: [
      'rate_limit_exceeded',
      'provider_overloaded',
      'provider_unavailable',
      'timeout',
      'context_length_exceeded',
      'invalid_request',
      'content_policy_violation',
      'authentication',
      'not_found',
      'permission_denied',
      'payment_required',
      'server',
    ],
  },
  app: { kind: 'text', about: 'App, by its address' },
  agent: { kind: 'text', about: 'User agent, such as agent:*openai*' },
  user: { kind: 'text', about: 'User, as named by the app' },
  session: { kind: 'text', about: 'Session' },
  in: { kind: 'number', about: 'Tokens of the prompt, such as in>10k' },
  out: { kind: 'number', about: 'Tokens of the completion' },
  speed: { kind: 'number', about: 'Tokens a second' },
  finish: {
    kind: 'text',
    about: 'Why the model stopped',
    values: ['stop', 'length', 'tool_calls', 'content_filter', 'error'],
  },
  fallback: { kind: 'yes-no', about: 'More than one attempt', values: YES_NO },
  streamed: { kind: 'yes-no', about: 'Streamed or not', values: YES_NO },
  cached: { kind: 'yes-no', about: 'From the response cache', values: YES_NO },
  byok: { kind: 'yes-no', about: 'Paid to the provider directly', values: YES_NO },
  priced: { kind: 'yes-no', about: 'Prices are known', values: YES_NO },
  estimated: { kind: 'yes-no', about: 'Its tokens are estimates', values: YES_NO },
  type: { kind: 'text', about: 'Kind of call', values: API_TYPES },
  member: { kind: 'text', about: 'Member that the key belongs to' },
  workspace: { kind: 'text', about: 'Workspace' },
  region: { kind: 'text', about: 'Region that was called', values: ['global', 'europe', 'us'] },
  router: { kind: 'text', about: 'Router that chose the model' },
  rule: { kind: 'text', about: 'Rule that chose the model' },
  upstream: { kind: 'text', about: 'Provider behind a gateway' },
  endpoint: { kind: 'text', about: 'Endpoint that was asked' },
  tier: { kind: 'text', about: 'Service tier', values: ['flex', 'priority'] },
  guardrail: { kind: 'text', about: 'Guardrail that acted, by its id' },
  stage: {
    kind: 'text',
    about: 'Guardrail, plugin or tool that acted',
    values: ['guardrail', 'plugin', 'server_tools', 'response_healing', 'context_compression'],
  },
  feedback: { kind: 'text', about: 'Kind of feedback' },
  preset: { kind: 'text', about: 'Preset' },
  search_engine: { kind: 'text', about: 'Engine of the web search' },
  native_finish: { kind: 'text', about: 'Provider’s own finish reason' },
  reasoning: { kind: 'number', about: 'Tokens of reasoning' },
  cached_tokens: { kind: 'number', about: 'Tokens of the prompt that were cached' },
  native_in: { kind: 'number', about: 'Prompt tokens, counted by the provider' },
  native_out: { kind: 'number', about: 'Completion tokens, counted by the provider' },
  media_in: { kind: 'number', about: 'Images of the prompt' },
  media_out: { kind: 'number', about: 'Images of the completion' },
  audio_in: { kind: 'number', about: 'Pieces of audio of the prompt' },
  searches: { kind: 'number', about: 'Results of web searches' },
  fetches: { kind: 'number', about: 'Pages that were fetched' },
  upstream_cost: { kind: 'usd', about: 'Cost reported by the provider' },
  cache_discount: { kind: 'usd', about: 'Savings from the cache' },
  moderation: { kind: 'time', about: 'Moderation time' },
  id: { kind: 'text', about: 'Id of the call' },
  request: { kind: 'text', about: 'Id of the request' },
  upstream_id: { kind: 'text', about: 'Provider’s id' },
};

export const isField = (name: string): name is GenerationField => Object.hasOwn(FILTER_FIELDS, name);
