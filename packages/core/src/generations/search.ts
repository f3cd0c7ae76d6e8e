import { findNearestName } from '../foundation/nearest-name.ts';
import { isRecord } from '../foundation/parse.ts';
import type { GenerationCondition, GenerationRecord, StoredContent } from '../stores/store.ts';
import { refuseField } from '../wire/fields.ts';
import { type FieldKind, GENERATION_FIELDS, type GenerationField } from '../wire/generation-fields.ts';

const MAX_CONDITIONS = 50;
/** Letters that a name may take to be another's. */
const FEW_CHANGES = 2;

/** A condition, or what else stands between white space; what is quoted may have some in it. */
const WORD = /(?:"(?:[^"\\]|\\.)*(?:"|$)|[^\s"])+|\S+/g;
const CONDITION = /^(-?)([a-z_]+)(:|>=|<=|>|<)(.*)$/s;
const VALUE = /"((?:[^"\\]|\\.)*)"|([^,"]+)/g;

/**
 * Reads conditions such as `attempts>1 -status:ok app:"My tool" latency>=2s`; all of them have to be met. Throws
 * `invalid_request` with the place of the first that is none.
 */
export function parseWhere(line: string): GenerationCondition[] {
  const words = [...line.matchAll(WORD)];
  if (words.length > MAX_CONDITIONS) throw refuseField('where', `must have at most ${MAX_CONDITIONS} conditions`);
  return words.map(({ 0: word, index }) => {
    const read = readCondition(word);
    if (typeof read !== 'string') return read;
    throw refuseField('where', `“${word.slice(0, 100)}” at character ${index + 1}: ${read}`);
  });
}

/** The condition, or what is wrong with it. */
function readCondition(word: string): GenerationCondition | string {
  const [, minus = '', name = '', sign = '', rest = ''] = CONDITION.exec(word) ?? [];
  if (name === '') return 'is not a condition; write field:value, or search for it with text';
  if (!Object.hasOwn(GENERATION_FIELDS, name)) return describeUnknownField(name);
  const field = name as GenerationField;
  const kind = GENERATION_FIELDS[field];
  if (rest.replaceAll(/\\./gs, '').split('"').length % 2 === 0) return 'has no closing quote';
  const texts = [...rest.matchAll(VALUE)].map(([, quoted, bare = '']) => quoted?.replaceAll(/\\(.)/gs, '$1') ?? bare);
  if (texts.length === 0) return 'needs a value';
  if (sign !== ':' && (kind === 'text' || kind === 'yes-no')) return 'takes : alone';
  if (sign !== ':' && texts.length > 1) return 'takes one value';
  const values = texts.map((text) => readValue(text, kind));
  if (values.includes(undefined)) return WRONG[kind];
  return {
    field,
    sign: sign as GenerationCondition['sign'],
    values: values.filter((value) => value !== undefined),
    isNegated: minus === '-',
  };
}

function describeUnknownField(name: string): string {
  const nearest = findNearestName(name, Object.keys(GENERATION_FIELDS), FEW_CHANGES);
  return `unknown field “${name.slice(0, 60)}”${nearest === undefined ? '' : `; did you mean “${nearest}”?`}`;
}

const WRONG: Readonly<Record<FieldKind, string>> = {
  text: 'needs a value',
  'yes-no': 'use yes or no',
  usd: 'enter an amount in USD, e.g. 0.05',
  time: 'enter a time, e.g. 300ms, 2s or 1.5m',
  number: 'enter a number, e.g. 2 or 10k',
};

const TIMES: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1000, m: 60_000 };
const COUNTS: Readonly<Record<string, number>> = { '': 1, k: 1000, m: 1_000_000 };

function readValue(text: string, kind: FieldKind): string | number | boolean | undefined {
  switch (kind) {
    case 'text':
      return text.toLowerCase();
    case 'yes-no':
      return text === 'yes' ? true : text === 'no' ? false : undefined;
    case 'usd':
      return readFigure(text.replace(/^\$/, ''), { '': 1 });
    case 'time':
      return readFigure(text, TIMES);
    case 'number':
      return readFigure(text.toLowerCase(), COUNTS);
  }
}

function readFigure(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const [, figure, unit = ''] = /^(\d{1,15}(?:\.\d{1,12})?)([a-z]*)$/.exec(text) ?? [];
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
  return figure === undefined || factor === undefined ? undefined : Number(figure) * factor;
}

/** Members of a message that describe it and are not written text. */
const NOT_WRITTEN: ReadonlySet<string> = new Set(['role', 'type']);

/** Whether a record itself holds the text: in its ids, its app or its user. `text` is in lower case. */
export function isInRecord(text: string, { generation }: GenerationRecord): boolean {
  const { id, request_id, upstream_id, session_id, external_user, origin, user_agent, model, provider_name } =
    generation;
  const fields = [id, request_id, upstream_id, session_id, external_user, origin, user_agent, model, provider_name];
  return fields.some((field) => field?.toLowerCase().includes(text) === true);
}

/** Whether the request, its tools and parameters included, or the completion contains the text, which is in lower case. */
export function isInContent(text: string, { input, output, error, request }: StoredContent): boolean {
  return (
    isIn(text, input) ||
    isIn(text, output) ||
    isIn(text, error?.message) ||
    isInParameters(text, request?.body) ||
    isInParameters(text, request?.expanded)
  );
}

/** The conversation, which is searched as the input of its content. */
const CONVERSATION: ReadonlySet<string> = new Set(['messages', 'input', 'prompt', 'system', 'instructions']);

/** Whether tools or parameters contain it, also in their names: people look for the calls that set one. */
function isInParameters(text: string, body: unknown): boolean {
  if (!isRecord(body)) return false;
  return Object.entries(body).some(([name, value]) => !CONVERSATION.has(name) && isInNamed(text, name, value));
}

function isInNamed(text: string, name: string, value: unknown): boolean {
  if (name.toLowerCase().includes(text)) return true;
  if (Array.isArray(value)) return value.some((item) => isInNamed(text, '', item));
  if (!isRecord(value)) return !NOT_WRITTEN.has(name) && isIn(text, value);
  return Object.entries(value).some(([inner, member]) => isInNamed(text, inner, member));
}

function isIn(text: string, value: unknown): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(text);
  if (Array.isArray(value)) return value.some((item) => isIn(text, item));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => !NOT_WRITTEN.has(name) && isIn(text, member));
}
