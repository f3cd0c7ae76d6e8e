import { useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';

import { keysQuery } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { useShortcut } from '../../shell/shortcuts.ts';
import { parseFilterText, toFilterText } from './filter-text.ts';
import { type GenerationSearch, hasGenerationFilters, RANGES } from './generation-search.ts';

export type ChangeSearch = (change: { readonly [Name in keyof GenerationSearch]?: string | undefined }) => void;

const NOTHING = {
  model: undefined,
  provider: undefined,
  key: undefined,
  session: undefined,
  status: undefined,
  min_cost: undefined,
  max_cost: undefined,
  text: undefined,
};

/** The line that filters, with the commonest filters beside it. */
export function FilterBar({ search, onChange }: { search: GenerationSearch; onChange: ChangeSearch }) {
  const input = useRef<HTMLInputElement>(null);
  const shown = toFilterText(search);
  const [text, setText] = useState(shown);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const { data: keys = [] } = useQuery(keysQuery);
  useShortcut({ keys: '/', label: 'Filter', group: 'This screen' }, () => input.current?.focus());
  useEffect(() => setText(shown), [shown]);
  const apply = (line: string): void => {
    const parsed = parseFilterText(line);
    setProblems(parsed.problems);
    if (parsed.problems.length === 0) onChange({ ...NOTHING, ...parsed.filters });
  };
  return (
    <form
      role="search"
      className="flex flex-col gap-1"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        apply(text);
      }}
    >
      <div className="flex flex-wrap items-center gap-2">
        <div className="relative min-w-40 flex-1 basis-72">
          <Search size={15} aria-hidden className="absolute top-2 left-2.5 text-ink-faint" />
          <input
            ref={input}
            type="search"
            aria-label="Filter generations"
            aria-describedby="filter-problems"
            aria-invalid={problems.length > 0 || undefined}
            placeholder={'model:… status:failed cost>0.01 "text", then Enter  ( / )'}
            className="field pl-8 font-mono text-[13px]"
            spellCheck={false}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              if (event.target.value === '') apply('');
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return;
              if (text === '') event.currentTarget.blur();
              else {
                setText('');
                apply('');
              }
            }}
          />
        </div>
        <select
          aria-label="Time"
          className="field w-auto"
          value={search.range ?? (search.from === undefined && search.to === undefined ? '' : 'span')}
          onChange={(event) => onChange({ range: event.target.value || undefined, from: undefined, to: undefined })}
        >
          <option value="">Any time</option>
          {Object.entries(RANGES).map(([value, { label }]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
          {(search.from !== undefined || search.to !== undefined) && <option value="span">Chosen span</option>}
        </select>
        <select
          aria-label="Status"
          className="field w-auto"
          value={search.status ?? ''}
          onChange={(event) => onChange({ status: event.target.value || undefined })}
        >
          <option value="">Any status</option>
          <option value="ok">ok</option>
          <option value="failed">failed</option>
          <option value="cancelled">cancelled</option>
          <option value="failed,cancelled">not ok</option>
        </select>
        <select
          aria-label="Key"
          className="field w-auto max-w-44"
          value={search.key ?? ''}
          onChange={(event) => onChange({ key: event.target.value || undefined })}
        >
          <option value="">Any key</option>
          {keys.map(({ hash, name }) => (
            <option key={hash} value={hash}>
              {name}
            </option>
          ))}
        </select>
        {hasGenerationFilters(search) && (
          <Button
            look="quiet"
            onClick={() => onChange({ ...NOTHING, range: undefined, from: undefined, to: undefined })}
          >
            Clear
          </Button>
        )}
      </div>
      <p id="filter-problems" role="status" className="text-xs text-bad empty:hidden">
        {problems.join('. ')}
      </p>
    </form>
  );
}
