import { EFFORTS, type Problems, PROVIDER_SORTS, type Setup } from '../../../features/playground/setup/setup.ts';
import { Checkbox } from '../../../parts/controls/field.tsx';
import { LabelledInput, LabelledSelect, LabelledText } from '../../../parts/controls/labelled.tsx';
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
        <LabelledSelect
          label="Reasoning effort"
          value={setup.effort}
          options={[['', 'default'], ...EFFORTS]}
          onChange={(effort) => set({ effort })}
        />
        <LabelledSelect
          label="Providers"
          value={setup.providerSort}
          options={[['', 'default order'], ...Object.entries(PROVIDER_SORTS)]}
          onChange={(providerSort) => set({ providerSort })}
        />
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
        <LabelledText
          label="Additional request fields, as JSON"
          error={toSentence(problems['more'])}
          rows={2}
          spellCheck={false}
          placeholder={'{"stop": ["END"]}'}
          className="field resize-y font-mono text-xs"
          value={setup.more}
          onChange={(more) => set({ more })}
        />
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
