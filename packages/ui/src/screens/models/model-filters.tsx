import { useQuery } from '@tanstack/react-query';
import { ListFilter } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

import { modelsQuery, providersQuery } from '../../api/queries.ts';
import { OUTPUTS } from '../../app/call-kinds.ts';
import { useShortcut } from '../../app/shortcuts.ts';
import { SearchField } from '../../features/list-screen/list-screen.tsx';
import { hasModelFilters, type ModelSearch, splitWords, toggleWord } from '../../features/models/model-search.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Checkbox } from '../../parts/controls/field.tsx';
import { FilterSelect, type Options } from '../../parts/controls/select.tsx';
import { modelsMessages } from './messages.tsx';

type Change = (change: Partial<Record<keyof ModelSearch, string | undefined>>) => void;

const WORDS = [
  { name: 'input_modalities', label: 'input', words: ['text', 'image', 'audio', 'file', 'video'] },
  { name: 'output_modalities', label: 'output', words: OUTPUTS },
  {
    name: 'supported_parameters',
    label: 'supports',
    words: ['tools', 'reasoning', 'response_format', 'structured_outputs', 'seed', 'logprobs'],
  },
] as const;
const BOXES = ['usable', 'zdr'] as const;
/** So that the list follows the typing without a request for every letter. */
const TYPING_PAUSE_MS = 200;

export function ModelFilters({ search, onChange }: { search: ModelSearch; onChange: Change }) {
  const t = modelsMessages().filters;
  const [isOpen, setIsOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(search.q ?? '');
  useShortcut({ keys: '/', label: t.shortcut, group: t.group }, () => input.current?.focus());
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
          label={t.search}
          placeholder={t.search}
          value={text}
          onChange={(typed) => setText(typed ?? '')}
        />
        <Button icon={<ListFilter size={15} />} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {t.more(count)}
        </Button>
        {hasModelFilters(search) && (
          <Button
            look="quiet"
            onClick={() =>
              onChange({
                ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
                view: search.view,
              })
            }
          >
            {t.clear}
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
  const t = modelsMessages().filters;
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line bg-ground p-3">
      <div className="flex flex-wrap gap-x-8 gap-y-3">
        {WORDS.map(({ label, words, name }) => (
          <Words
            key={name}
            label={t[label]}
            words={words}
            value={search[name]}
            onChange={(value) => onChange({ [name]: value })}
          />
        ))}
      </div>
      <div className="flex flex-wrap items-end gap-3">
        <Figure
          label={t.context}
          placeholder={t.tokens}
          value={search.context}
          onChange={(value) => onChange({ context: value })}
        />
        <Figure
          label={t.maxInput}
          placeholder={t.perMillion}
          value={search.max_price}
          onChange={(value) => onChange({ max_price: value })}
        />
        <Figure
          label={t.maxOutput}
          placeholder={t.perMillion}
          value={search.max_output_price}
          onChange={(value) => onChange({ max_output_price: value })}
        />
        <Pick
          label={t.provider}
          value={search.providers}
          options={providers.map(({ slug, name }) => [slug, name])}
          onChange={(value) => onChange({ providers: value })}
        />
        <Pick
          label={t.author}
          value={search.model_authors}
          options={authors}
          onChange={(value) => onChange({ model_authors: value })}
        />
        <div className="flex flex-wrap gap-x-5 gap-y-1 sm:min-h-8 sm:items-center">
          {BOXES.map((name) => (
            <Checkbox
              key={name}
              label={t[name]}
              checked={search[name] === 'true'}
              onChange={(event) => onChange({ [name]: event.target.checked ? 'true' : undefined })}
            />
          ))}
        </div>
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
    <label className="min-w-32 flex-1 text-xs font-medium text-ink-faint sm:max-w-44">
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
    <label className="min-w-32 flex-1 text-xs font-medium text-ink-faint sm:max-w-44">
      {label}
      <FilterSelect
        any={modelsMessages().filters.any}
        className="mt-1 w-full font-normal"
        value={value}
        options={options}
        onChange={onChange}
      />
    </label>
  );
}
