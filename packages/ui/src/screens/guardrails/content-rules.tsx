import type { BuiltinFilter, CustomFilter } from '@model-gateway/core/wire';
import { Plus, X } from 'lucide-react';
import { useController } from 'react-hook-form';

import type { FilterAction } from '../../api/types.ts';
import type { FormParts } from '../../features/form/fields.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { issueFor } from '../../parts/controls/field.tsx';
import { Select } from '../../parts/controls/select.tsx';
import { useRowFocus } from '../../parts/controls/use-row-focus.ts';
import { BUILTIN_FILTERS, type GuardrailDraft, withBuiltin } from './guardrail-draft.ts';
import { guardrailsMessages } from './messages.ts';

const ACTIONS = ['flag', 'redact', 'block'] as const satisfies readonly FilterAction[];
const DIRECTIONS = ['input', 'output', 'both'] as const;

const toActionOptions = () => ACTIONS.map((action) => [action, guardrailsMessages().actions[action]] as const);
const toDirectionOptions = () =>
  DIRECTIONS.map((direction) => [direction, guardrailsMessages().content.directions[direction]] as const);

export function ContentRules({ form: { control }, error }: FormParts<GuardrailDraft>) {
  const { field: builtins } = useController({ control, name: 'builtins' });
  const { field: custom } = useController({ control, name: 'custom' });
  return (
    <div className="scroll-thin flex h-full flex-col gap-5 overflow-y-auto p-4 *:max-w-2xl">
      <KnownKinds filters={builtins.value} onChange={builtins.onChange} />
      <OwnPatterns filters={custom.value} onChange={custom.onChange} error={error} />
    </div>
  );
}

interface KnownKindsProps {
  readonly filters: readonly BuiltinFilter[];
  readonly onChange: (filters: readonly BuiltinFilter[]) => void;
}

function KnownKinds({ filters, onChange }: KnownKindsProps) {
  const { actions, content: t } = guardrailsMessages();
  return (
    <section>
      <h3 className="mb-2 text-sm font-semibold">{t.builtin}</h3>
      <ul className="flex flex-col gap-1.5">
        {BUILTIN_FILTERS.map((slug) => {
          const label = t.builtins[slug];
          const filter = filters.find((candidate) => candidate.slug === slug);
          return (
            <li key={slug} className="flex flex-wrap items-center gap-2 text-sm">
              <span className="min-w-36 flex-1">{label}</span>
              <Select
                label={t.actionFor(label)}
                value={filter?.action ?? 'off'}
                options={[['off', actions.off], ...toActionOptions()]}
                onChange={(action) => onChange(withBuiltin(filters, slug, action))}
              />
              <Select
                label={t.directionFor(label)}
                value={filter?.direction ?? 'input'}
                options={toDirectionOptions()}
                disabled={filter === undefined}
                onChange={(direction) => onChange(withBuiltin(filters, slug, filter?.action ?? 'flag', direction))}
              />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

interface OwnPatternsProps {
  readonly filters: readonly CustomFilter[];
  readonly onChange: (filters: readonly CustomFilter[]) => void;
  readonly error: unknown;
}

function OwnPatterns({ filters, onChange, error }: OwnPatternsProps) {
  const t = guardrailsMessages().content;
  const add = (): void => onChange([...filters, { pattern: '', action: 'redact', label: '', direction: 'input' }]);
  const { around, beforeRemoval } = useRowFocus<HTMLElement>();
  return (
    <section {...around}>
      <div className="mb-2 flex items-center justify-between">
        <h3 className="text-sm font-semibold">{t.custom}</h3>
        <Button data-add icon={<Plus size={14} />} onClick={add}>
          {t.add}
        </Button>
      </div>
      {filters.length === 0 && <p className="text-sm text-ink-faint">{t.noPatterns}</p>}
      <ul className="flex flex-col gap-3">
        {filters.map((filter, at) => (
          <OwnPattern
            key={at}
            place={at + 1}
            filter={filter}
            problem={issueFor(error, `content_filters.${at}`)}
            onChange={(change) => onChange(filters.with(at, { ...filter, ...change }))}
            onRemove={() => {
              beforeRemoval(at);
              onChange(filters.toSpliced(at, 1));
            }}
          />
        ))}
      </ul>
    </section>
  );
}

interface OwnPatternProps {
  readonly place: number;
  readonly filter: CustomFilter;
  readonly problem: string | undefined;
  readonly onChange: (change: Partial<CustomFilter>) => void;
  readonly onRemove: () => void;
}

function OwnPattern({ place, filter, problem, onChange, onRemove }: OwnPatternProps) {
  const t = guardrailsMessages().content;
  return (
    <li className="flex flex-col gap-2 rounded-lg border border-line p-3">
      <div className="flex gap-2">
        <input
          aria-label={t.pattern(place)}
          aria-invalid={problem !== undefined || undefined}
          placeholder="project-[a-z]+"
          spellCheck={false}
          className="field font-mono text-xs"
          value={filter.pattern}
          onChange={(event) => onChange({ pattern: event.target.value })}
        />
        <Button data-remove look="quiet" aria-label={t.remove(place)} icon={<X size={15} />} onClick={onRemove} />
      </div>
      <div className="flex flex-wrap gap-2">
        <input
          aria-label={t.label(place)}
          placeholder={t.labelPlaceholder}
          className="field w-auto max-w-full flex-1"
          value={filter.label ?? ''}
          onChange={(event) => onChange({ label: event.target.value })}
        />
        <Select
          label={t.action(place)}
          value={filter.action}
          options={toActionOptions()}
          onChange={(action) => onChange({ action })}
        />
        <Select
          label={t.direction(place)}
          value={filter.direction ?? 'input'}
          options={toDirectionOptions()}
          onChange={(direction) => onChange({ direction })}
        />
      </div>
      {problem !== undefined && <p className="text-xs text-bad">{problem}</p>}
    </li>
  );
}
