import { useQuery } from '@tanstack/react-query';
import { SlidersHorizontal } from 'lucide-react';
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react';

import { allKeysQuery } from '../../../api/queries.ts';
import type { FacetValue, GenerationFacets, Key } from '../../../api/types.ts';
import { useShortcut } from '../../../app/shortcuts.ts';
import { GENERATION_STATUSES } from '../../../features/generations/list/generation-status.tsx';
import { parseFilterText, toFilterText } from '../../../features/generations/search/filter-text.ts';
import {
  type GenerationSearch,
  NO_FILTERS,
  hasGenerationFilters,
} from '../../../features/generations/search/generation-search.ts';
import { PERIOD_NAMES, toPeriodTexts } from '../../../format/days.ts';
import { formatCount } from '../../../format/quantity.ts';
import { classNames } from '../../../parts/class-names.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { FilterSelect } from '../../../parts/controls/select.tsx';
import { FilterInput } from './filter-input.tsx';
import { facetsQuery } from './generation-counts.ts';
import { generationSearchMessages } from './messages.ts';

/** Changes the address; with `replace`, in place of the step in the history before. */
export type ChangeSearch = (
  change: { readonly [Name in keyof GenerationSearch]?: string | undefined },
  replace?: boolean,
) => void;

const toStatusOptions = (): readonly (readonly [string, string])[] => [
  ...Object.entries(GENERATION_STATUSES).map(([status, { label }]) => [status, label] as const),
  ['failed,cancelled,interrupted', generationSearchMessages().notOk(GENERATION_STATUSES.ok.label)],
];
const NO_OPTIONS = [] as const;
/** Filters that a line of the filter box does not name are removed; the line does not name the time. */
const { from: _from, to: _to, range: _range, ...NO_WORDS } = NO_FILTERS;

interface FilterBarProps {
  readonly search: GenerationSearch;
  /** Names of keys by their hashes, as far as they are known beside the list of keys. */
  readonly keyNames: Readonly<Record<string, string>>;
  readonly onChange: ChangeSearch;
}

/** The line that filters, with the commonest filters beside it. */
export function FilterBar({ search, keyNames, onChange }: FilterBarProps) {
  const t = generationSearchMessages();
  const input = useRef<HTMLInputElement>(null);
  const { data: keys = NO_OPTIONS } = useQuery(allKeysQuery);
  const names = useMemo(() => toKeyNames(keys, keyNames), [keys, keyNames]);
  const written = useMemo(() => withoutNamesakes(names), [names]);
  const shown = toFilterText(search, written);
  const [text, setText] = useState(shown);
  const [problems, setProblems] = useState<readonly string[]>([]);
  // Counting reads all generations, so it waits until the user starts to filter.
  const [isTouched, setIsTouched] = useState(false);
  const { data: facets } = useQuery({ ...facetsQuery(search), enabled: isTouched || hasGenerationFilters(search) });
  const known = useMemo(
    () => ({ model: toValues(facets?.model), provider: toValues(facets?.provider), key: [...written.values()] }),
    [facets, written],
  );
  useShortcut({ keys: '/', label: t.filter, group: t.group }, () => input.current?.focus());
  useEffect(() => {
    setText(shown);
    setProblems([]);
  }, [shown]);
  const apply = (line: string): void => {
    const parsed = parseFilterText(line, new Map(Array.from(written, ([hash, name]) => [name, hash])));
    setProblems(parsed.problems);
    if (parsed.problems.length === 0) onChange({ ...NO_WORDS, ...parsed.filters });
  };
  return (
    <form
      role="search"
      className="flex flex-col gap-2"
      onFocus={() => setIsTouched(true)}
      onPointerEnter={() => setIsTouched(true)}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        apply(text);
      }}
    >
      <FilterInput
        inputRef={input}
        text={text}
        known={known}
        hasProblems={problems.length > 0}
        problemsId="filter-problems"
        onChange={(line) => {
          setText(line);
          if (line === '') apply('');
        }}
        onClear={() => {
          setText('');
          apply('');
        }}
      />
      <Pickers search={search} onChange={onChange} facets={facets} keyOptions={toKeyOptions(names, facets?.key)} />
      <p id="filter-problems" role="status" className="text-xs text-bad empty:hidden">
        {problems.length > 0 && `${problems.join('. ')}. ${t.formerResult}`}
      </p>
    </form>
  );
}

const FACETS = [
  { name: 'status', className: '' },
  { name: 'model', className: 'max-w-44' },
  { name: 'provider', className: 'max-w-40' },
  { name: 'key', className: 'max-w-36' },
] as const;

interface PickersProps extends Pick<FilterBarProps, 'search' | 'onChange'> {
  readonly facets: GenerationFacets | undefined;
  readonly keyOptions: readonly (readonly [hash: string, name: string])[];
}

/** The commonest filters to choose from, with how many requests each would leave. */
function Pickers({ search, onChange, facets, keyOptions }: PickersProps) {
  const t = generationSearchMessages();
  // Where there is no room for them, until asked for.
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="@container">
      <div className="flex flex-wrap items-center gap-2">
        <TimeButtons search={search} onChange={onChange} />
        <Button
          className="@5xl:hidden"
          icon={<SlidersHorizontal size={15} />}
          aria-label={t.filters}
          title={t.filters}
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        />
        <div className={isOpen ? 'contents' : 'hidden @5xl:contents'}>
          {FACETS.map(({ name, className }) => (
            <FacetSelect
              key={name}
              texts={t.facets[name]}
              className={className}
              value={search[name]}
              counts={facets?.[name]}
              options={name === 'key' ? keyOptions : name === 'status' ? toStatusOptions() : NO_OPTIONS}
              onChange={(value) => onChange({ [name]: value })}
            />
          ))}
          {hasGenerationFilters(search) && (
            <Button look="quiet" onClick={() => onChange(NO_FILTERS)}>
              {t.clear}
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}

const toValues = (counts: readonly FacetValue[] = []): readonly string[] => counts.map(({ value }) => value);

/** Names of keys by their hashes: those of the store, and those that calls in the list have. */
function toKeyNames(
  keys: readonly Pick<Key, 'hash' | 'name'>[],
  names: FilterBarProps['keyNames'],
): ReadonlyMap<string, string> {
  return new Map([...Object.entries(names), ...keys.map(({ hash, name }) => [hash, name] as const)]);
}

/** The names that one key alone has: of others, the line says the hash. */
function withoutNamesakes(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const all = [...names.values()];
  return new Map([...names].filter(([, name]) => all.indexOf(name) === all.lastIndexOf(name)));
}

/** The keys by name, then those that called and have none, by the beginning of their hashes. */
function toKeyOptions(
  named: ReadonlyMap<string, string>,
  counts: readonly FacetValue[] = [],
): (readonly [string, string])[] {
  const nameless = counts.filter(({ value }) => !named.has(value));
  return [...named, ...nameless.map(({ value }) => [value, `${value.slice(0, 8)}…`] as const)];
}

interface FacetSelectProps {
  readonly texts: { readonly label: string; readonly any: string };
  /** One value, or several separated by commas. */
  readonly value: string | undefined;
  /** Undefined until they are counted. */
  readonly counts: readonly FacetValue[] | undefined;
  /** Shown even where nothing is counted for them; others follow as they are counted. */
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly className: string;
  readonly onChange: (value: string | undefined) => void;
}

/** One filter, each of its values with how many requests it would leave. */
function FacetSelect({ texts, value, counts, options, className, onChange }: FacetSelectProps) {
  const countOf = new Map(counts?.map(({ value: counted, requests }) => [counted, requests]));
  const known = new Set(options.map(([option]) => option));
  const others = [...countOf.keys()].filter((counted) => !known.has(counted)).map((name) => [name, name] as const);
  const all = [...options, ...others];
  const isListed = value === undefined || all.some(([option]) => option === value);
  const unlisted = isListed ? [] : [[value, value.replaceAll(',', ', ')] as const];
  const toCounted = (option: string, text: string): string =>
    counts === undefined ? text : `${text} (${formatCount(countValue(countOf, option))})`;
  return (
    <FilterSelect
      label={texts.label}
      any={texts.any}
      className={classNames('w-auto min-w-0 flex-1 basis-36 sm:flex-none sm:basis-auto', className)}
      value={value}
      options={[...unlisted, ...all.map(([option, text]) => [option, toCounted(option, text)] as const)]}
      onChange={onChange}
    />
  );
}

/** How many requests have the value; several values are added up. */
const countValue = (countOf: ReadonlyMap<string, number>, option: string): number =>
  option.split(',').reduce((sum, value) => sum + (countOf.get(value) ?? 0), 0);

interface TimeButtonsProps {
  readonly search: Pick<GenerationSearch, 'range' | 'from' | 'to'>;
  readonly onChange: (change: { range: string | undefined; from: undefined; to: undefined }) => void;
}

/** Spans of time, each one click away. */
function TimeButtons({ search, onChange }: TimeButtonsProps) {
  const t = generationSearchMessages();
  const isSpan = search.from !== undefined || search.to !== undefined;
  const choices = [
    ...PERIOD_NAMES.map((value) => ({ value, ...toPeriodTexts(value) })),
    { value: undefined, label: t.anyTime, short: t.anyTime },
  ];
  return (
    <div
      role="group"
      aria-label={t.time}
      className="flex flex-wrap gap-px overflow-hidden rounded-md border border-line-strong/50 bg-line max-[430px]:grid max-[430px]:grid-cols-3"
    >
      {choices.map(({ value, label, short }) => (
        <TimeButton
          key={short}
          label={label}
          isPressed={!isSpan && search.range === value}
          onClick={() => onChange({ range: value, from: undefined, to: undefined })}
        >
          {short}
        </TimeButton>
      ))}
      {isSpan && (
        <TimeButton label={t.selectedSpan} isPressed>
          {t.selectedSpan}
        </TimeButton>
      )}
    </div>
  );
}

interface TimeButtonProps {
  readonly label: string;
  readonly isPressed: boolean;
  readonly onClick?: () => void;
  readonly children: string;
}

function TimeButton({ label, isPressed, onClick, children }: TimeButtonProps) {
  return (
    <button
      type="button"
      // What is seen is part of the name, for those who say it to their device.
      aria-label={label === children ? label : `${children}, ${label}`}
      title={label}
      aria-pressed={isPressed}
      className={classNames(
        'min-h-8 flex-1 px-2 text-sm whitespace-nowrap outline-offset-[-2px] max-[500px]:px-1 nth-7:max-[430px]:col-span-3 nth-8:max-[430px]:col-span-3',
        isPressed ? 'bg-accent-soft font-medium text-accent' : 'bg-surface text-ink-soft hover:bg-raised',
      )}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
