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

/** Several keys of one provider, a row each: the name, the key, and its share and limits. */
export function KeyFields({ keys, onChange, issue }: KeyFieldsProps) {
  const t = providerSetupMessages().keys;
  const change = (at: number, next: Partial<KeyDraft>): void =>
    onChange(keys.map((entry, place) => (place === at ? { ...entry, ...next } : entry)));
  const add = (): void => {
    const id = Math.max(-1, ...keys.map((entry) => entry.id)) + 1;
    onChange([...keys, { id, name: '', key: '', shown: '', numbers: {} }]);
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="text-sm font-medium">{t.legend}</legend>
      <p className="text-xs text-ink-faint">{t.hint}</p>
      {keys.map((entry, at) => {
        const messages = ISSUE_FIELDS.flatMap((field) => issue(`apiKeys.${at}.${field}`) ?? []);
        return (
          <div key={entry.id} className="flex flex-col gap-1">
            <div className="flex flex-wrap gap-2">
              <input
                aria-label={t.name(at + 1)}
                autoComplete="off"
                spellCheck={false}
                required
                disabled={entry.shown !== ''}
                placeholder={t.namePlaceholder}
                className="field min-w-0 flex-1 font-mono"
                value={entry.name}
                onChange={(event) => change(at, { name: event.target.value })}
              />
              <input
                aria-label={t.key(at + 1)}
                type="password"
                autoComplete="off"
                spellCheck={false}
                required={entry.shown === ''}
                placeholder={entry.shown}
                className="field min-w-0 flex-1 font-mono"
                value={entry.key}
                onChange={(event) => change(at, { key: event.target.value })}
              />
              <Button
                look="quiet"
                aria-label={t.remove(at + 1)}
                icon={<Trash2 size={14} />}
                onClick={() => onChange(keys.toSpliced(at, 1))}
              />
            </div>
            <NumberFields place={at + 1} entry={entry} onChange={(numbers) => change(at, { numbers })} />
            {messages.map((message) => (
              <p key={message} role="alert" className="text-xs text-bad">
                {message}
              </p>
            ))}
          </div>
        );
      })}
      <Button className="self-start" icon={<Plus size={14} />} onClick={add}>
        {t.add}
      </Button>
    </fieldset>
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
        <input
          key={field}
          aria-label={t.number(t.numbers[field], place)}
          type="number"
          min={field === 'weight' ? '0.001' : '1'}
          step={field === 'weight' ? 'any' : '1'}
          placeholder={t.numbers[field]}
          className="field min-w-0"
          value={numbers[field] ?? ''}
          onChange={(event) => {
            const { [field]: _, ...others } = numbers;
            const given = event.target.value;
            onChange(given === '' ? others : { ...others, [field]: Number(given) });
          }}
        />
      ))}
    </div>
  );
}
