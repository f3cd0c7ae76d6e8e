import { isStatus } from '../generation-status.tsx';
import type { GenerationSearch } from './generation-search.ts';

/** Filters that a line of the filter box means, and its words that mean nothing. */
export interface FilterText {
  readonly filters: Pick<
    GenerationSearch,
    'model' | 'provider' | 'key' | 'member' | 'app' | 'session' | 'status' | 'min_cost' | 'max_cost' | 'text'
  >;
  readonly problems: readonly string[];
}

const NAMES = new Set(['model', 'provider', 'key', 'member', 'app', 'session', 'status']);
const STATUSES: Readonly<Record<string, string>> = { error: 'failed', canceled: 'cancelled' };

/**
 * Reads a line such as `model:acme/chat status:failed cost>0.01 "timed out"`. Several values of a name are separated by
 * commas; everything else is looked for as text.
 */
export function parseFilterText(line: string): FilterText {
  const filters: Record<string, string> = {};
  const problems: string[] = [];
  const words: string[] = [];
  for (const [whole, quoted] of line.matchAll(/"([^"]*)"|\S+/g)) {
    if (quoted !== undefined) {
      words.push(quoted);
      continue;
    }
    const [, name = '', sign = '', value = ''] = /^([a-z]+)([:<>])(.*)$/.exec(whole) ?? [];
    if (name === '') words.push(whole);
    else if (name === 'cost' && sign !== ':') addCost(filters, problems, sign, value);
    else if (sign === ':' && NAMES.has(name)) addValue(filters, problems, name, value);
    else problems.push(`“${whole}”: filters are ${[...NAMES].join(', ')}, and cost with < or >`);
  }
  const text = words.join(' ').trim();
  if (text.length === 1) problems.push('A text to look for needs two characters');
  else if (text !== '') filters['text'] = text;
  return { filters, problems };
}

function addCost(filters: Record<string, string>, problems: string[], sign: string, value: string): void {
  if (!/^\d+(\.\d+)?$/.test(value)) problems.push(`“cost${sign}${value}”: the amount is USD, such as 0.01`);
  else filters[sign === '>' ? 'min_cost' : 'max_cost'] = value;
}

function addValue(filters: Record<string, string>, problems: string[], name: string, value: string): void {
  if (value === '') return void problems.push(`“${name}:” needs a value`);
  if (name !== 'status') return void (filters[name] = value);
  const statuses = value.split(',').map((status) => STATUSES[status] ?? status);
  if (statuses.every(isStatus)) filters['status'] = statuses.join(',');
  else problems.push(`“status:${value}”: a status is ok, failed, cancelled or interrupted`);
}

export function toFilterText(search: GenerationSearch): string {
  const parts = [...NAMES].flatMap((name) => {
    const value = search[name as keyof GenerationSearch];
    return value === undefined ? [] : [`${name}:${value}`];
  });
  if (search.min_cost !== undefined) parts.push(`cost>${search.min_cost}`);
  if (search.max_cost !== undefined) parts.push(`cost<${search.max_cost}`);
  if (search.text !== undefined) parts.push(/[:<>]/.test(search.text) ? `"${search.text}"` : search.text);
  return parts.join(' ');
}
