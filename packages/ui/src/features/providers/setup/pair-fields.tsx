import { Plus, Trash2 } from 'lucide-react';

import { Button } from '../../../parts/controls/button.tsx';
import type { PairDraft } from './provider-draft.ts';

interface PairFieldsProps {
  readonly legend: string;
  readonly hint: string;
  /** What one of them is called: “header”. */
  readonly noun: string;
  /** Whether values are secret: they are hidden while they are typed. */
  readonly areSecret: boolean;
  readonly pairs: readonly PairDraft[];
  readonly onChange: (pairs: readonly PairDraft[]) => void;
  /** The gateway's message about the pair of a name. */
  readonly issue: (name: string) => string | undefined;
}

/** Names with values, a row each. */
export function PairFields({ legend, hint, noun, areSecret, pairs, onChange, issue }: PairFieldsProps) {
  const change = (at: number, next: Partial<PairDraft>): void =>
    onChange(pairs.map((pair, place) => (place === at ? { ...pair, ...next } : pair)));
  const add = (): void => {
    const key = Math.max(-1, ...pairs.map((pair) => pair.key)) + 1;
    onChange([...pairs, { key, name: '', value: '' }]);
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="text-sm font-medium">{legend}</legend>
      <p className="text-xs text-ink-faint">{hint}</p>
      {pairs.map((pair, at) => {
        const { key, name, value, isSaved = false } = pair;
        const message = name.trim() === '' ? undefined : issue(name.trim());
        return (
          <div key={key} className="flex flex-col gap-1">
            <div className="flex gap-2">
              <input
                aria-label={`Name of ${noun} ${at + 1}`}
                aria-invalid={message !== undefined || undefined}
                autoComplete="off"
                spellCheck={false}
                required
                disabled={isSaved}
                className="field min-w-0 flex-1 font-mono"
                value={name}
                onChange={(event) => change(at, { name: event.target.value })}
              />
              <input
                aria-label={`Value of ${noun} ${at + 1}`}
                aria-invalid={message !== undefined || undefined}
                type={areSecret ? 'password' : 'text'}
                autoComplete="off"
                spellCheck={false}
                placeholder={isSaved ? 'as it is saved' : ''}
                className="field min-w-0 flex-1 font-mono"
                value={value}
                onChange={(event) => change(at, { value: event.target.value })}
              />
              <Button
                look="quiet"
                aria-label={`Remove ${noun} ${at + 1}`}
                icon={<Trash2 size={14} aria-hidden />}
                onClick={() => onChange(pairs.toSpliced(at, 1))}
              />
            </div>
            {message !== undefined && (
              <p role="alert" className="text-xs text-bad">
                {name.trim()}: {message}
              </p>
            )}
          </div>
        );
      })}
      <Button className="self-start" icon={<Plus size={14} aria-hidden />} onClick={add}>
        Add a {noun}
      </Button>
    </fieldset>
  );
}
