import type { FieldKind, GENERATION_FIELDS, GenerationField } from '@model-gateway/core/wire';

import { API_TYPES } from '../../../app/call-kinds.ts';
import type { GenerationSearch } from './generation-search.ts';
import { filterProblemMessages } from './messages.ts';

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
  const t = filterProblemMessages();
  for (const { 0: word, index } of line.matchAll(WORD)) {
    const read = readWord(word, keys);
    if (typeof read === 'string') problems.push(t.at(word, index + 1, read));
    else if ('text' in read) words.push(read.text);
    else addCondition(read, filters, where);
  }
  const text = words.join(' ').trim();
  if (text.length === 1) problems.push(t.tooShort);
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
  const t = filterProblemMessages();
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/s.exec(word) ?? [];
  if (quoted !== undefined) return { text: unescape(quoted) };
  const [, minus, name = '', sign = '', rest = ''] = CONDITION.exec(word) ?? [];
  if (name === '') return { text: word.replaceAll('"', '') };
  if (!isField(name)) return t.unknownField(name);
  const { kind } = FILTER_FIELDS[name];
  if (rest.replaceAll(/\\./gs, '').split('"').length % 2 === 0) return t.openQuote;
  const texts = [...rest.matchAll(VALUE)].map(([, inQuotes, bare = '']) =>
    inQuotes === undefined ? bare : unescape(inQuotes),
  );
  if (texts.length === 0) return t.needsValue;
  if (sign !== ':' && (kind === 'text' || kind === 'yes-no')) return t.onlyColon(name);
  if (sign !== ':' && texts.length > 1) return t.oneValue;
  const values = texts.map((text) => (name === 'status' ? (STATUSES[text] ?? text) : text));
  const statuses = FILTER_FIELDS.status.values ?? [];
  if (name === 'status' && !values.every((value) => statuses.includes(value))) return t.statuses;
  if (!values.every((value) => FORMS[kind].test(value))) return t.examples[kind];
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
  /** Values that are always suggested. */
  readonly values?: readonly string[];
}

const YES_NO = ['yes', 'no'] as const;

/** The fields of the filter language, as the gateway has them, the most useful first. */
export const FILTER_FIELDS: { readonly [Name in GenerationField]: FilterField<(typeof GENERATION_FIELDS)[Name]> } = {
  model: { kind: 'text' },
  provider: { kind: 'text' },
  key: { kind: 'text' },
  status: { kind: 'text', values: ['ok', 'failed', 'cancelled', 'interrupted'] },
  cost: { kind: 'usd' },
  attempts: { kind: 'number' },
  latency: { kind: 'time' },
  duration: { kind: 'time' },
  error: {
    kind: 'text',
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
  app: { kind: 'text' },
  agent: { kind: 'text' },
  user: { kind: 'text' },
  session: { kind: 'text' },
  in: { kind: 'number' },
  out: { kind: 'number' },
  speed: { kind: 'number' },
  finish: {
    kind: 'text',
    values: ['stop', 'length', 'tool_calls', 'content_filter', 'error'],
  },
  fallback: { kind: 'yes-no', values: YES_NO },
  streamed: { kind: 'yes-no', values: YES_NO },
  cached: { kind: 'yes-no', values: YES_NO },
  byok: { kind: 'yes-no', values: YES_NO },
  priced: { kind: 'yes-no', values: YES_NO },
  estimated: { kind: 'yes-no', values: YES_NO },
  type: { kind: 'text', values: API_TYPES },
  member: { kind: 'text' },
  workspace: { kind: 'text' },
  region: { kind: 'text', values: ['global', 'europe', 'us'] },
  router: { kind: 'text' },
  rule: { kind: 'text' },
  upstream: { kind: 'text' },
  endpoint: { kind: 'text' },
  tier: { kind: 'text', values: ['flex', 'priority'] },
  guardrail: { kind: 'text' },
  stage: {
    kind: 'text',
    values: ['guardrail', 'plugin', 'server_tools', 'response_healing', 'context_compression', 'cache_marks'],
  },
  feedback: { kind: 'text' },
  preset: { kind: 'text' },
  search_engine: { kind: 'text' },
  native_finish: { kind: 'text' },
  reasoning: { kind: 'number' },
  cached_tokens: { kind: 'number' },
  native_in: { kind: 'number' },
  native_out: { kind: 'number' },
  media_in: { kind: 'number' },
  media_out: { kind: 'number' },
  audio_in: { kind: 'number' },
  searches: { kind: 'number' },
  fetches: { kind: 'number' },
  upstream_cost: { kind: 'usd' },
  cache_discount: { kind: 'usd' },
  moderation: { kind: 'time' },
  id: { kind: 'text' },
  request: { kind: 'text' },
  upstream_id: { kind: 'text' },
};

export const isField = (name: string): name is GenerationField => Object.hasOwn(FILTER_FIELDS, name);
