import { Plus, Trash2 } from 'lucide-react';

import { Button } from '../../../parts/controls/button.tsx';
import { providerSetupMessages } from './messages.ts';
import type { KeyDraft } from './provider-draft.ts';

interface KeyFieldsProps {
  readonly keys: readonly KeyDraft[];
  readonly onChange: (keys: readonly KeyDraft[]) => void;
  /** The gateway's message about a field of the key at this place. */
  readonly issue: (field: string) => string | undefined;
}

const ISSUE_FIELDS = ['name', 'key', 'weight', 'requestsPerMinute', 'tokensPerMinute', 'callsUnderWay'] as const;

/** Several keys of one provider: the name and the key of each, its share and limits, and whether it is used. */
export function KeyFields({ keys, onChange, issue }: KeyFieldsProps) {
  const t = providerSetupMessages().keys;
  const change = (at: number, next: Partial<KeyDraft>): void =>
    onChange(keys.map((entry, place) => (place === at ? { ...entry, ...next } : entry)));
  const add = (): void => {
    const id = Math.max(-1, ...keys.map((entry) => entry.id)) + 1;
    onChange([...keys, { id, name: '', key: '', shown: '', isOff: false, numbers: {} }]);
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="text-sm font-medium">{t.legend}</legend>
      <p className="text-xs text-ink-faint">{t.hint}</p>
      {keys.map((entry, at) => (
        <KeyItem
          key={entry.id}
          place={at + 1}
          entry={entry}
          messages={ISSUE_FIELDS.flatMap((field) => issue(`apiKeys.${at}.${field}`) ?? [])}
          onChange={(next) => change(at, next)}
          onRemove={() => onChange(keys.toSpliced(at, 1))}
        />
      ))}
      <Button className="self-start" icon={<Plus size={14} />} onClick={add}>
        {t.add}
      </Button>
    </fieldset>
  );
}

interface KeyItemProps {
  readonly place: number;
  readonly entry: KeyDraft;
  readonly messages: readonly string[];
  readonly onChange: (next: Partial<KeyDraft>) => void;
  readonly onRemove: () => void;
}

function KeyItem({ place, entry, messages, onChange, onRemove }: KeyItemProps) {
  const t = providerSetupMessages().keys;
  const isSaved = entry.shown !== '';
  return (
    <div className="flex flex-col gap-2 rounded-lg border border-line p-3">
      <div className="flex flex-wrap items-center gap-2">
        <input
          aria-label={t.name(place)}
          autoComplete="off"
          spellCheck={false}
          required
          disabled={isSaved}
          placeholder={t.namePlaceholder}
          className="field min-w-32 flex-1 font-mono"
          value={entry.name}
          onChange={(event) => onChange({ name: event.target.value })}
        />
        <input
          aria-label={t.key(place)}
          type="password"
          autoComplete="off"
          spellCheck={false}
          required={!isSaved}
          placeholder={isSaved ? t.replace(entry.shown) : t.keyPlaceholder}
          className="field min-w-40 flex-2 font-mono"
          value={entry.key}
          onChange={(event) => onChange({ key: event.target.value })}
        />
        <Button look="quiet" aria-label={t.remove(place)} icon={<Trash2 size={14} />} onClick={onRemove} />
      </div>
      <NumberFields place={place} entry={entry} onChange={(numbers) => onChange({ numbers })} />
      <label className="flex min-h-6 items-center gap-2 self-start text-sm">
        <input
          type="checkbox"
          aria-label={t.offNamed(place)}
          checked={entry.isOff}
          onChange={(event) => onChange({ isOff: event.target.checked })}
        />
        {t.off}
      </label>
      {messages.map((message) => (
        <p key={message} role="alert" className="text-xs text-bad">
          {message}
        </p>
      ))}
    </div>
  );
}

const NUMBERS = ['weight', 'requestsPerMinute', 'tokensPerMinute', 'callsUnderWay'] as const;

interface NumberFieldsProps {
  readonly place: number;
  readonly entry: KeyDraft;
  readonly onChange: (numbers: KeyDraft['numbers']) => void;
}

function NumberFields({ place, entry: { numbers }, onChange }: NumberFieldsProps) {
  const t = providerSetupMessages().keys;
  return (
    <div className="grid grid-cols-2 gap-2 sm:grid-cols-4">
      {NUMBERS.map((field) => (
        <label key={field} className="flex min-w-0 flex-col gap-0.5 text-xs text-ink-faint">
          {t.numbers[field]}
          <input
            aria-label={t.number(t.numbers[field], place)}
            type="number"
            min={field === 'weight' ? '0.001' : '1'}
            step={field === 'weight' ? 'any' : '1'}
            placeholder={field === 'weight' ? '1' : t.noLimit}
            className="field min-w-0"
            value={numbers[field] ?? ''}
            onChange={(event) => {
              const { [field]: _, ...others } = numbers;
              const given = event.target.value;
              onChange(given === '' ? others : { ...others, [field]: Number(given) });
            }}
          />
        </label>
      ))}
    </div>
  );
}
