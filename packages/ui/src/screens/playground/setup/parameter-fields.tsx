import { LabelledInput, LabelledSelect } from '../../../features/form/labelled.tsx';
import { EFFORTS, type Problems, PROVIDER_SORTS, type Setup } from '../../../features/playground/setup/setup.ts';
import { Checkbox, Field } from '../../../parts/controls/field.tsx';
import { toSentence } from './to-sentence.ts';

interface ParameterFieldsProps {
  readonly setup: Setup;
  readonly problems: Problems;
  readonly onChange: (setup: Setup) => void;
}

const NUMBERS = [
  ['temperature', 'Temperature'],
  ['topP', 'Top p'],
  ['maxTokens', 'Max tokens'],
  ['seed', 'Seed'],
] as const;

export function ParameterFields({ setup, problems, onChange }: ParameterFieldsProps) {
  const set = (change: Partial<Setup>): void => onChange({ ...setup, ...change });
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
        {NUMBERS.map(([field, label]) => (
          <LabelledInput
            key={field}
            label={label}
            error={toSentence(problems[field])}
            inputMode="decimal"
            autoComplete="off"
            placeholder="default"
            value={setup[field]}
            onChange={(text) => set({ [field]: text })}
          />
        ))}
        <LabelledSelect label="Reasoning effort" value={setup.effort} onChange={(text) => set({ effort: text })}>
          <option value="">default</option>
          {EFFORTS.map((effort) => (
            <option key={effort}>{effort}</option>
          ))}
        </LabelledSelect>
        <LabelledSelect label="Providers" value={setup.providerSort} onChange={(text) => set({ providerSort: text })}>
          <option value="">default order</option>
          {Object.entries(PROVIDER_SORTS).map(([sort, label]) => (
            <option key={sort} value={sort}>
              {label}
            </option>
          ))}
        </LabelledSelect>
      </div>
      <div className="grid gap-3 md:grid-cols-2">
        <LabelledInput
          label="Only these providers"
          hint="Comma-separated provider slugs. Leave empty for any."
          autoComplete="off"
          spellCheck={false}
          className="field font-mono text-xs"
          value={setup.providerOnly}
          onChange={(text) => set({ providerOnly: text })}
        />
        <Field label="Additional request fields, as JSON" error={toSentence(problems['more'])}>
          {(control) => (
            <textarea
              {...control}
              rows={2}
              spellCheck={false}
              placeholder={'{"stop": ["END"]}'}
              className="field resize-y font-mono text-xs"
              value={setup.more}
              onChange={(event) => set({ more: event.target.value })}
            />
          )}
        </Field>
      </div>
      <div className="flex flex-wrap gap-x-5">
        <Checkbox
          label="Stream"
          checked={setup.isStreamed}
          onChange={(event) => set({ isStreamed: event.target.checked })}
        />
        <Checkbox
          label="Fall back to other providers"
          checked={setup.hasFallbacks}
          onChange={(event) => set({ hasFallbacks: event.target.checked })}
        />
      </div>
    </div>
  );
}
