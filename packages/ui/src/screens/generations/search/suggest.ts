import type { GenerationField } from '@model-gateway/core/wire';

import { FILTER_FIELDS, isField, quote } from '../../../features/generations/search/filter-text.ts';

export interface Suggestion {
  readonly label: string;
  readonly about: string;
  /** The line and the caret once it has been taken. */
  readonly line: string;
  readonly caret: number;
}

/** Values that are known here, by field. */
export type KnownValues = Readonly<Partial<Record<GenerationField, readonly string[]>>>;

const MAX_SUGGESTIONS = 8;

/** What the word at the caret may become: a field, or a known value of the field that it names. */
export function suggest(line: string, caret: number, known: KnownValues): readonly Suggestion[] {
  const start = beginningOfWord(line, caret);
  const word = line.slice(start, caret);
  const [, minus = '', name = '', sign = '', rest = ''] = /^(-?)([a-z_]*)(:|>=|<=|>|<)?(.*)$/s.exec(word) ?? [];
  const take = (text: string): Pick<Suggestion, 'line' | 'caret'> => {
    const after = line.slice(caret);
    const isSpaced = text.endsWith(' ') && after.startsWith(' ');
    const put = isSpaced ? text.slice(0, -1) : text;
    return { line: line.slice(0, start) + put + after, caret: start + text.length };
  };
  if (sign === '' && rest === '') return name === '' ? [] : suggestFields(name, (text) => take(minus + text));
  if (sign !== ':' || !isField(name)) return [];
  const comma = lastComma(rest);
  const before = rest.slice(0, comma);
  const begun = rest.slice(comma).replace(/^"/, '').toLowerCase();
  const values = [...new Set([...(FILTER_FIELDS[name].values ?? []), ...(known[name] ?? [])])];
  return values
    .filter((value) => value.toLowerCase().includes(begun) && value.toLowerCase() !== begun)
    .slice(0, MAX_SUGGESTIONS)
    .map((value) => ({ label: value, about: '', ...take(`${minus}${name}:${before}${quote(value)} `) }));
}

function suggestFields(begun: string, take: (text: string) => Pick<Suggestion, 'line' | 'caret'>): Suggestion[] {
  const fields = Object.entries(FILTER_FIELDS).filter(([name]) => name.startsWith(begun));
  return fields.slice(0, MAX_SUGGESTIONS).map(([name, { kind, about }]) => {
    const sign = kind === 'text' || kind === 'yes-no' ? ':' : '>';
    return { label: name, about, ...take(name + sign) };
  });
}

/** Where the word at the caret begins; white space in quotes ends none. */
function beginningOfWord(line: string, caret: number): number {
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < caret; at += 1) {
    if (line[at] === '"') isQuoted = !isQuoted;
    else if (!isQuoted && /\s/.test(line[at] ?? '')) start = at + 1;
  }
  return start;
}

/** The place behind the last comma outside of quotes; 0 without one. */
function lastComma(text: string): number {
  let place = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (!isQuoted && text[at] === ',') place = at + 1;
  }
  return place;
}
