import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import type { Platform } from '../foundation/platform.ts';
import type { parsePattern } from '../guardrails/filters/custom-filter.ts';
import type { GenerationRecord } from '../stores/store.ts';
import type { Destination } from '../wire/destinations.ts';
import type { BroadcastTrace } from './destination-format.ts';

/**
 * Whether a generation belongs to this destination by its workspace, key and region. Cheap, because it runs once for
 * every call.
 */
type DestinationFilter = (record: GenerationRecord) => boolean;

export function createDestinationFilter(destination: Destination): DestinationFilter {
  const hashes = destination.api_key_hashes && new Set(destination.api_key_hashes);
  return ({ generation, principalId }) => {
    if ((generation.workspace_id ?? DEFAULT_WORKSPACE_ID) !== destination.workspace_id) return false;
    if (hashes !== null && !hashes.has(principalId)) return false;
    return destination.regions.includes(generation.data_region);
  };
}

/**
 * Whether a generation is in the sample. Decided by its session, or by its own id where it has none, so that a session
 * is in or out as a whole; another destination decides differently.
 */
export async function isSampled(
  { id, sampling_rate: rate }: Pick<Destination, 'id' | 'sampling_rate'>,
  { generation }: GenerationRecord,
  platform: Pick<Platform, 'sha256'>,
): Promise<boolean> {
  if (rate >= 1) return true;
  const hash = await platform.sha256(`${id}:${generation.session_id ?? generation.id}`);
  return parseInt(hash.slice(0, 8), 16) / 2 ** 32 < rate;
}

type FilterRules = NonNullable<Destination['filter_rules']>;
type Rule = FilterRules['groups'][number]['rules'][number];
type Value = string | number | null;

/** Whether a trace matches the rules of its destination. */
type MatchesRules = (trace: BroadcastTrace) => boolean;

/**
 * Within a group all or any rules must hold, by its `logic`; every group must hold. Case makes no difference. Without a
 * value only `not_exists` and the `not_…` operators hold. Rejects with `invalid_request` for an invalid pattern or number.
 */
export async function compileFilterRules(rules: FilterRules): Promise<MatchesRules> {
  if (!rules.enabled) return () => true;
  // Late, because the engine of patterns is large and most processes never need it.
  const engine: PatternEngine = await import('../guardrails/filters/custom-filter.ts');
  const groups = rules.groups.map(({ logic, rules: each }, index) => {
    const tests = each.map((rule, place) =>
      compileRule(rule, `filter_rules.groups.${index}.rules.${place}.value`, engine),
    );
    return (trace: BroadcastTrace): boolean =>
      tests.length === 0 || (logic === 'and' ? tests.every((test) => test(trace)) : tests.some((test) => test(trace)));
  });
  return (trace) => groups.every((group) => group(trace));
}

interface PatternEngine {
  readonly parsePattern: typeof parsePattern;
}

function compileRule(rule: Rule, path: string, engine: PatternEngine): MatchesRules {
  const test = compileOperator(rule, path, engine);
  const read = FIELDS[rule.field];
  return (trace) => test(read(trace));
}

function compileOperator(
  { operator, value = '' }: Rule,
  path: string,
  engine: PatternEngine,
): (found: Value) => boolean {
  const wanted = String(value).toLowerCase();
  const text = (found: Value): string | null => (found === null ? null : String(found).toLowerCase());
  switch (operator) {
    case 'exists':
      return (found) => found !== null && found !== '';
    case 'not_exists':
      return (found) => found === null || found === '';
    case 'equals':
      return (found) => isEqual(found, value, wanted);
    case 'not_equals':
      return (found) => !isEqual(found, value, wanted);
    case 'contains':
      return (found) => text(found)?.includes(wanted) ?? false;
    case 'not_contains':
      return (found) => !(text(found)?.includes(wanted) ?? false);
    case 'starts_with':
      return (found) => text(found)?.startsWith(wanted) ?? false;
    case 'ends_with':
      return (found) => text(found)?.endsWith(wanted) ?? false;
    case 'regex': {
      const { expression } = engine.parsePattern(String(value), path);
      return (found) => found !== null && expression.matcher(String(found)).find();
    }
    case 'gt':
    case 'lt':
    case 'gte':
    case 'lte':
      return compileComparison(operator, Number(value));
  }
}

/** A number is the same however it is written. */
function isEqual(found: Value, value: string | number, wanted: string): boolean {
  if (found === null) return false;
  return typeof found === 'number' ? found === Number(value) : found.toLowerCase() === wanted;
}

function compileComparison(operator: 'gt' | 'lt' | 'gte' | 'lte', limit: number): (found: Value) => boolean {
  // Comparisons with a value that is not a number are false on both sides.
  const compare = {
    gt: (found: number) => found > limit,
    lt: (found: number) => found < limit,
    gte: (found: number) => found >= limit,
    lte: (found: number) => found <= limit,
  }[operator];
  return (found) => found !== null && compare(Number(found));
}

const FIELDS: Readonly<Record<Rule['field'], (trace: BroadcastTrace) => Value>> = {
  model: ({ model }) => model,
  provider: ({ providerName }) => providerName,
  session_id: ({ sessionId }) => sessionId,
  user_id: ({ identity }) => identity?.user ?? identity?.memberId ?? null,
  api_key_name: ({ identity }) => identity?.apiKeyName ?? null,
  finish_reason: ({ finishReason }) => finishReason,
  input: ({ content }) => content && JSON.stringify(content.input),
  output: ({ content }) => content && (content.output.completion ?? ''),
  total_cost: ({ costUsd }) => costUsd,
  total_tokens: ({ tokens }) => (tokens.prompt === null ? null : tokens.prompt + (tokens.completion ?? 0)),
  prompt_tokens: ({ tokens }) => tokens.prompt,
  completion_tokens: ({ tokens }) => tokens.completion,
};
