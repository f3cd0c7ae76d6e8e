import type { CustomFilter } from '@model-gateway/core/wire';
import { Plus, X } from 'lucide-react';

import type { FilterAction } from '../../api/types.ts';
import { Button } from '../../parts/controls/button.tsx';
import { issueFor } from '../../parts/controls/field.tsx';
import { BUILTIN_FILTERS, withBuiltin } from './guardrail-draft.ts';
import type { RulesProps } from './reach-rules.tsx';

type Direction = NonNullable<CustomFilter['direction']>;
const DIRECTIONS = [
  ['input', 'prompts'],
  ['output', 'answers'],
  ['both', 'both'],
] as const;

export function ContentRules({ draft, onChange, error }: RulesProps) {
  const setCustom = (at: number, change: Partial<CustomFilter>): void =>
    onChange({
      ...draft,
      custom: draft.custom.map((filter, index) => (index === at ? { ...filter, ...change } : filter)),
    });
  return (
    <div className="scroll-thin flex h-full flex-col gap-5 overflow-y-auto p-4">
      <section>
        <h3 className="mb-2 text-sm font-semibold">Known kinds</h3>
        <ul className="flex flex-col gap-1.5">
          {BUILTIN_FILTERS.map(({ slug, label }) => {
            const filter = draft.builtins.find((candidate) => candidate.slug === slug);
            return (
              <li key={slug} className="flex flex-wrap items-center gap-2 text-sm">
                <span className="min-w-36 flex-1">{label}</span>
                <ActionSelect
                  label={`What to do about: ${label}`}
                  value={filter?.action ?? 'off'}
                  hasOff
                  onChange={(action) => onChange({ ...draft, builtins: withBuiltin(draft.builtins, slug, action) })}
                />
                <DirectionSelect
                  label={`Where to look for: ${label}`}
                  value={filter?.direction ?? 'input'}
                  isDisabled={filter === undefined}
                  onChange={(direction) =>
                    onChange({
                      ...draft,
                      builtins: withBuiltin(draft.builtins, slug, filter?.action ?? 'flag', direction),
                    })
                  }
                />
              </li>
            );
          })}
        </ul>
      </section>
      <section>
        <div className="mb-2 flex items-center justify-between">
          <h3 className="text-sm font-semibold">Patterns of your own</h3>
          <Button
            icon={<Plus size={14} aria-hidden />}
            onClick={() =>
              onChange({
                ...draft,
                custom: [...draft.custom, { pattern: '', action: 'redact', label: '', direction: 'input' }],
              })
            }
          >
            Pattern
          </Button>
        </div>
        {draft.custom.length === 0 && (
          <p className="text-sm text-ink-faint">
            None. A pattern is a regular expression without look-around and back-references.
          </p>
        )}
        <ul className="flex flex-col gap-3">
          {draft.custom.map((filter, at) => {
            const problem = issueFor(error, `content_filters.${at}`);
            return (
              <li key={at} className="flex flex-col gap-2 rounded-lg border border-line p-3">
                <div className="flex gap-2">
                  <input
                    aria-label={`Pattern ${at + 1}`}
                    aria-invalid={problem !== undefined || undefined}
                    placeholder="project-[a-z]+"
                    spellCheck={false}
                    className="field font-mono text-xs"
                    value={filter.pattern}
                    onChange={(event) => setCustom(at, { pattern: event.target.value })}
                  />
                  <Button
                    look="quiet"
                    aria-label={`Remove pattern ${at + 1}`}
                    icon={<X size={15} aria-hidden />}
                    onClick={() => onChange({ ...draft, custom: draft.custom.filter((_, index) => index !== at) })}
                  />
                </div>
                <div className="flex flex-wrap gap-2">
                  <input
                    aria-label={`Label of pattern ${at + 1}`}
                    placeholder="Label, shown and put in place"
                    className="field w-auto max-w-full flex-1"
                    value={filter.label ?? ''}
                    onChange={(event) => setCustom(at, { label: event.target.value })}
                  />
                  <ActionSelect
                    label={`What pattern ${at + 1} does`}
                    value={filter.action}
                    onChange={(action) => action !== 'off' && setCustom(at, { action })}
                  />
                  <DirectionSelect
                    label={`Where pattern ${at + 1} looks`}
                    value={filter.direction ?? 'input'}
                    onChange={(direction) => setCustom(at, { direction })}
                  />
                </div>
                {problem !== undefined && <p className="text-xs text-bad">{problem}</p>}
              </li>
            );
          })}
        </ul>
      </section>
    </div>
  );
}

interface ActionSelectProps {
  readonly label: string;
  readonly value: FilterAction | 'off';
  readonly hasOff?: boolean;
  readonly onChange: (action: FilterAction | 'off') => void;
}

function ActionSelect({ label, value, hasOff = false, onChange }: ActionSelectProps) {
  return (
    <select
      aria-label={label}
      className="field w-auto max-w-full"
      value={value}
      onChange={(event) => onChange(event.target.value as FilterAction | 'off')}
    >
      {hasOff && <option value="off">leave alone</option>}
      <option value="flag">flag</option>
      <option value="redact">redact</option>
      <option value="block">block</option>
    </select>
  );
}

interface DirectionSelectProps {
  readonly label: string;
  readonly value: Direction;
  readonly isDisabled?: boolean;
  readonly onChange: (direction: Direction) => void;
}

function DirectionSelect({ label, value, isDisabled = false, onChange }: DirectionSelectProps) {
  return (
    <select
      aria-label={label}
      className="field w-auto max-w-full"
      disabled={isDisabled}
      value={value}
      onChange={(event) => onChange(event.target.value as Direction)}
    >
      {DIRECTIONS.map(([direction, name]) => (
        <option key={direction} value={direction}>
          {name}
        </option>
      ))}
    </select>
  );
}
