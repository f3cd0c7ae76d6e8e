import { useState } from 'react';

import { Badge } from '../../../parts/badge.tsx';
import { scrollIntoView } from '../../../parts/scroll-into-view.ts';
import { providerSetupMessages } from './messages.ts';
import type { ListedModel } from './setup-queries.ts';

/** Which models of a provider are served, besides the built-in ones. */
export interface ModelChoice {
  /** `all`: whatever its list has, also later. `some`: those that are chosen. `none`: the built-in ones alone. */
  readonly mode: 'all' | 'some' | 'none';
  readonly chosen: ReadonlySet<string>;
}

interface ModelChoiceFieldsProps {
  /** Null where the provider lists none. */
  readonly models: readonly ListedModel[] | null;
  readonly value: ModelChoice;
  readonly onChange: (value: ModelChoice) => void;
}

/** More rows than anyone reads; the search leads to the others. */
const MAX_SHOWN = 200;

export function ModelChoiceFields({ models, value, onChange }: ModelChoiceFieldsProps) {
  const t = providerSetupMessages().models;
  const count = models?.length ?? 0;
  const options = [
    ...(models === null ? [] : [['all', t.all(count)] as const]),
    ['some', models === null ? t.named : t.selected] as const,
    ['none', t.builtIn] as const,
  ];
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">{t.legend}</legend>
      {options.map(([mode, label]) => (
        <label key={mode} className="flex cursor-pointer items-start gap-2 text-sm">
          <input
            type="radio"
            name="models"
            className="mt-0.5 size-4 shrink-0 accent-accent"
            checked={value.mode === mode}
            onChange={() => onChange({ ...value, mode })}
          />
          {label}
        </label>
      ))}
      {value.mode === 'some' &&
        (models === null ? (
          <textarea
            aria-label={t.names}
            placeholder={t.onePerLine}
            rows={3}
            className="field font-mono"
            defaultValue={[...value.chosen].join('\n')}
            onChange={(event) => onChange({ ...value, chosen: toNames(event.target.value) })}
          />
        ) : (
          <PickModels models={models} value={value} onChange={onChange} />
        ))}
    </fieldset>
  );
}

const toNames = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  );

interface PickModelsProps extends ModelChoiceFieldsProps {
  readonly models: readonly ListedModel[];
}

function PickModels({ models, value, onChange }: PickModelsProps) {
  const t = providerSetupMessages().models;
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const fitting = models.filter(({ id }) => id.toLowerCase().includes(wanted));
  const shown = fitting.slice(0, MAX_SHOWN);
  const toggle = (id: string): void => {
    const chosen = new Set(value.chosen);
    if (!chosen.delete(id)) chosen.add(id);
    onChange({ ...value, chosen });
  };
  return (
    <div ref={scrollIntoView} className="flex flex-col gap-2 rounded-lg border border-line p-2">
      <input
        type="search"
        aria-label={t.search}
        placeholder={t.search}
        className="field"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <ul aria-label={t.list} className="scroll-thin max-h-56 overflow-y-auto">
        {shown.map(({ id, output_modalities: outputs }) => (
          <li key={id}>
            <label className="flex cursor-pointer items-center gap-2 rounded px-1.5 py-1 text-sm hover:bg-raised">
              <input
                type="checkbox"
                className="size-4 shrink-0 accent-accent"
                checked={value.chosen.has(id)}
                onChange={() => toggle(id)}
              />
              <span className="min-w-0 font-mono text-xs break-all">{id}</span>
              {outputs !== undefined && !outputs.includes('text') && <Badge>{outputs.join(', ')}</Badge>}
            </label>
          </li>
        ))}
      </ul>
      <p role="status" className="text-xs text-ink-faint">
        {t.chosen(value.chosen.size)}
        {fitting.length > shown.length ? ` · ${t.further(fitting.length - shown.length)}` : ''}
        {fitting.length === 0 ? ` · ${t.noneMatch}` : ''}
      </p>
    </div>
  );
}
