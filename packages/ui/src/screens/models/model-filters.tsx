import { useQuery } from '@tanstack/react-query';
import { ListFilter } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

import { modelsQuery, providersQuery } from '../../api/queries.ts';
import { OUTPUTS } from '../../app/call-kinds.ts';
import { useShortcut } from '../../app/shortcuts.ts';
import { SearchField } from '../../features/list-screen/list-screen.tsx';
import {
  hasModelFilters,
  type ModelSearch,
  SORTS,
  splitWords,
  toggleWord,
} from '../../features/models/model-search.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Checkbox } from '../../parts/controls/field.tsx';
import { Select, OptionList, type Options } from '../../parts/controls/select.tsx';

type Change = (change: Partial<Record<keyof ModelSearch, string | undefined>>) => void;

const WORDS = [
  { name: 'input_modalities', label: 'Input', words: ['text', 'image', 'audio', 'file', 'video'] },
  { name: 'output_modalities', label: 'Output', words: OUTPUTS },
  {
    name: 'supported_parameters',
    label: 'Supports',
    words: ['tools', 'reasoning', 'response_format', 'structured_outputs', 'seed', 'logprobs'],
  },
] as const;
const BOXES = [
  ['usable', 'Allowed by settings'],
  ['zdr', 'No prompts retained (ZDR)'],
] as const;
/** So that the list follows the typing without a request for every letter. */
const TYPING_PAUSE_MS = 200;

export function ModelFilters({ search, onChange }: { search: ModelSearch; onChange: Change }) {
  const [isOpen, setIsOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(search.q ?? '');
  useShortcut({ keys: '/', label: 'Filter', group: 'This screen' }, () => input.current?.focus());
  useEffect(() => setText(search.q ?? ''), [search.q]);
  useEffect(() => {
    if (text === (search.q ?? '')) return;
    const timer = setTimeout(() => onChange({ q: text || undefined }), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, search.q, onChange]);
  const count = [
    search.input_modalities,
    search.output_modalities,
    search.supported_parameters,
    search.context,
    search.max_price,
    search.max_output_price,
    search.zdr,
    search.usable,
    search.providers,
    search.model_authors,
  ].filter(Boolean).length;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          ref={input}
          label="Filter by name or id"
          placeholder="Filter by name or id"
          value={text}
          onChange={(typed) => setText(typed ?? '')}
        />
        <Select
          label="Order"
          value={search.sort ?? ''}
          options={SORTS}
          onChange={(sort) => onChange({ sort: sort || undefined })}
        />
        <Button icon={<ListFilter size={15} />} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          Filters{count > 0 ? ` · ${count}` : ''}
        </Button>
        {hasModelFilters(search) && (
          <Button
            look="quiet"
            onClick={() => onChange(Object.fromEntries(Object.keys(search).map((name) => [name, undefined])))}
          >
            Clear
          </Button>
        )}
      </div>
      {isOpen && <MoreFilters search={search} onChange={onChange} />}
    </div>
  );
}

function MoreFilters({ search, onChange }: { search: ModelSearch; onChange: Change }) {
  const { data: providers = [] } = useQuery(providersQuery);
  const { data: models = [] } = useQuery(modelsQuery);
  const authors = [...new Set(models.map(({ id }) => id.slice(0, id.indexOf('/'))))].toSorted((a, b) =>
    a.localeCompare(b),
  );
  return (
    <div className="grid gap-x-6 gap-y-3 rounded-lg border border-line bg-ground p-3 sm:grid-cols-2 xl:grid-cols-4">
      {WORDS.map(({ label, words, name }) => (
        <Words
          key={name}
          label={label}
          words={words}
          value={search[name]}
          onChange={(value) => onChange({ [name]: value })}
        />
      ))}
      <div className="flex flex-col gap-2">
        <div className="flex gap-2">
          <Figure
            label="Min context"
            placeholder="tokens"
            value={search.context}
            onChange={(value) => onChange({ context: value })}
          />
        </div>
        <div className="flex gap-2">
          <Figure
            label="Max input price"
            placeholder="$ per M"
            value={search.max_price}
            onChange={(value) => onChange({ max_price: value })}
          />
          <Figure
            label="Max output price"
            placeholder="$ per M"
            value={search.max_output_price}
            onChange={(value) => onChange({ max_output_price: value })}
          />
        </div>
        <div className="flex gap-2">
          <Pick
            label="Provider"
            value={search.providers}
            options={providers.map(({ slug, name }) => [slug, name])}
            onChange={(value) => onChange({ providers: value })}
          />
          <Pick
            label="Author"
            value={search.model_authors}
            options={authors}
            onChange={(value) => onChange({ model_authors: value })}
          />
        </div>
        {BOXES.map(([name, label]) => (
          <Checkbox
            key={name}
            label={label}
            checked={search[name] === 'true'}
            onChange={(event) => onChange({ [name]: event.target.checked ? 'true' : undefined })}
          />
        ))}
      </div>
    </div>
  );
}

interface PartProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

function Words({ label, words, value, onChange }: PartProps & { words: readonly string[] }) {
  const chosen = splitWords(value);
  return (
    <fieldset>
      <legend className="mb-1 text-xs font-medium text-ink-faint">{label}</legend>
      <div className="flex flex-wrap gap-1">
        {words.map((word) => (
          <button
            key={word}
            type="button"
            aria-pressed={chosen.includes(word)}
            onClick={() => onChange(toggleWord(value, word))}
            className="min-h-7 rounded-full border border-line-strong/50 bg-surface px-2.5 text-xs text-ink-soft hover:text-ink aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:font-medium aria-pressed:text-accent"
          >
            {word}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

function Figure({ label, value, placeholder, onChange }: PartProps & { placeholder: string }) {
  return (
    <label className="flex-1 text-xs font-medium text-ink-faint">
      {label}
      <input
        type="number"
        min={0}
        step="any"
        placeholder={placeholder}
        className="field mt-1 font-normal"
        value={value ?? ''}
        onChange={(event) => onChange(event.target.value || undefined)}
      />
    </label>
  );
}

function Pick({ label, value, options, onChange }: PartProps & { options: Options }) {
  return (
    <label className="flex-1 text-xs font-medium text-ink-faint">
      {label}
      <select
        className="field mt-1 font-normal"
        value={value ?? ''}
        onChange={(event) => onChange(event.target.value || undefined)}
      >
        <OptionList options={[['', 'any'], ...options]} />
      </select>
    </label>
  );
}
