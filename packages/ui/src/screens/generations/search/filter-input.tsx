import type { GenerationField } from '@model-gateway/core/wire';
import { Search } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';

import { FILTER_FIELDS, isField, quote } from '../../../features/generations/search/filter-text.ts';
import { filterFieldMessages } from '../../../features/generations/search/messages.ts';
import { classNames } from '../../../parts/class-names.ts';
import { useCombobox } from '../../../parts/controls/use-combobox.ts';
import { generationSearchMessages } from './messages.ts';

interface FilterInputProps {
  readonly inputRef: RefObject<HTMLInputElement | null>;
  readonly text: string;
  readonly known: KnownValues;
  readonly hasProblems: boolean;
  /** Id of the element with the error. */
  readonly problemsId: string;
  readonly onChange: (text: string) => void;
  readonly onClear: () => void;
}

/** The line of the filter language; under it what the word at the caret may become, taken by click, Tab or Enter. */
export function FilterInput({ inputRef, text, known, hasProblems, problemsId, onChange, onClear }: FilterInputProps) {
  const t = generationSearchMessages();
  const [caret, setCaret] = useState<number | null>(null);
  const options = useMemo(
    () => (caret === null ? [] : suggest(text, Math.min(caret, text.length), known)),
    [text, caret, known],
  );
  const isOpen = options.length > 0;
  const placing = useRef<number | null>(null);
  // As soon as the line is there, and before the next key: what is typed quickly belongs behind what was taken.
  useLayoutEffect(() => {
    if (placing.current === null) return;
    inputRef.current?.setSelectionRange(placing.current, placing.current);
    placing.current = null;
  });
  const close = (): void => {
    setCaret(null);
    combobox.reset();
  };
  const take = ({ line, caret: next }: Suggestion): void => {
    onChange(line);
    setCaret(next);
    combobox.reset();
    inputRef.current?.focus();
    placing.current = next;
  };
  const combobox = useCombobox({
    count: options.length,
    isOpen,
    startsActive: false,
    isRound: true,
    onTake(place) {
      const option = options[place];
      if (option !== undefined) take(option);
    },
  });
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (combobox.walk(event)) return;
    const option = options[combobox.active] ?? (event.key === 'Tab' && !event.shiftKey ? options[0] : undefined);
    if ((event.key === 'Enter' || event.key === 'Tab') && isOpen && option !== undefined) take(option);
    else if (event.key === 'Escape' && isOpen) close();
    else if (event.key === 'Escape' && text !== '') onClear();
    else if (event.key === 'Escape') event.currentTarget.blur();
    else return;
    event.preventDefault();
  };
  return (
    <div className="relative min-w-40">
      <Search size={15} className="absolute top-2 left-2.5 text-ink-faint" />
      <input
        ref={inputRef}
        type="search"
        {...combobox.input}
        aria-label={t.filterLabel}
        aria-describedby={problemsId}
        aria-invalid={hasProblems || undefined}
        placeholder={t.placeholder}
        className="field pl-8 font-mono text-sm"
        value={text}
        onChange={({ target }) => {
          onChange(target.value);
          setCaret(target.selectionStart);
          combobox.reset();
        }}
        onBlur={close}
        onKeyDown={onKeyDown}
      />
      {isOpen && (
        <ul
          {...combobox.list}
          aria-label={t.suggestions}
          className="card scroll-thin absolute inset-x-0 top-full z-30 mt-1 max-h-72 overflow-y-auto p-1 shadow-xl sm:right-auto sm:min-w-96"
        >
          {options.map((option, index) => (
            <li
              key={option.label}
              {...combobox.optionAt(index)}
              aria-selected={index === combobox.active}
              // The focus stays in the line.
              onPointerDown={(event) => event.preventDefault()}
              className={classNames(
                'flex min-h-8 cursor-pointer items-baseline gap-3 rounded-md px-2.5 py-1 text-sm hover:bg-raised',
                index === combobox.active && 'bg-raised outline-1 -outline-offset-1 outline-accent',
              )}
            >
              <span className="font-mono text-sm break-all">{option.label}</span>
              <span className="text-ink-faint">{option.about}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface Suggestion {
  readonly label: string;
  readonly about: string;
  /** The line and the caret once it has been taken. */
  readonly line: string;
  readonly caret: number;
}

/** Values that are known here, by field. */
type KnownValues = Readonly<Partial<Record<GenerationField, readonly string[]>>>;

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
  const names = Object.keys(FILTER_FIELDS)
    .filter(isField)
    .filter((name) => name.startsWith(begun));
  return names.slice(0, MAX_SUGGESTIONS).map((name) => {
    const { kind } = FILTER_FIELDS[name];
    const sign = kind === 'text' || kind === 'yes-no' ? ':' : '>';
    return { label: name, about: filterFieldMessages()[name], ...take(name + sign) };
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
