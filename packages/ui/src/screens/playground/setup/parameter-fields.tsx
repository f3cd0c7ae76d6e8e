import { EFFORTS, type Problems, PROVIDER_SORTS, type Setup } from '../../../features/playground/setup/setup.ts';
import { Checkbox } from '../../../parts/controls/field.tsx';
import { LabelledInput, LabelledSelect, LabelledText } from '../../../parts/controls/labelled.tsx';
import { setupMessages } from './messages.ts';
import { toSentence } from './to-sentence.ts';

interface ParameterFieldsProps {
  readonly setup: Setup;
  readonly problems: Problems;
  readonly onChange: (setup: Setup) => void;
}

const NUMBERS = ['temperature', 'topP', 'maxTokens', 'seed'] as const;

export function ParameterFields({ setup, problems, onChange }: ParameterFieldsProps) {
  const { fields: t } = setupMessages();
  const set = (change: Partial<Setup>): void => onChange({ ...setup, ...change });
  return (
    <div className="@container flex flex-col gap-3">
      <div className="grid grid-cols-2 gap-3 @lg:grid-cols-3 @3xl:grid-cols-6">
        {NUMBERS.map((field) => (
          <LabelledInput
            key={field}
            label={t[field]}
            error={toSentence(problems[field])}
            inputMode="decimal"
            autoComplete="off"
            placeholder={t.default}
            value={setup[field]}
            onChange={(text) => set({ [field]: text })}
          />
        ))}
        <LabelledSelect
          label={t.effort}
          value={setup.effort}
          options={[['', t.default], ...EFFORTS.map((effort) => [effort, t.efforts[effort]] as const)]}
          onChange={(effort) => set({ effort })}
        />
        <LabelledSelect
          label={t.providers}
          value={setup.providerSort}
          options={[['', t.defaultOrder], ...PROVIDER_SORTS.map((sort) => [sort, t.sorts[sort]] as const)]}
          onChange={(providerSort) => set({ providerSort })}
        />
      </div>
      <div className="grid gap-3 @2xl:grid-cols-2">
        <LabelledInput
          label={t.only}
          hint={t.onlyHint}
          autoComplete="off"
          spellCheck={false}
          className="field font-mono text-xs"
          value={setup.providerOnly}
          onChange={(text) => set({ providerOnly: text })}
        />
        <LabelledText
          label={t.more}
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
          label={t.stream}
          checked={setup.isStreamed}
          onChange={(event) => set({ isStreamed: event.target.checked })}
        />
        <Checkbox
          label={t.fallbacks}
          checked={setup.hasFallbacks}
          onChange={(event) => set({ hasFallbacks: event.target.checked })}
        />
      </div>
    </div>
  );
}
