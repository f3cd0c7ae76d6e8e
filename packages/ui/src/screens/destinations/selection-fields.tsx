import { useQuery } from '@tanstack/react-query';
import { useController } from 'react-hook-form';

import { keysQuery } from '../../api/queries.ts';
import { CheckField, type FormParts, InputField } from '../../features/form/fields.tsx';
import { Checkbox } from '../../parts/controls/field.tsx';
import type { DestinationDraft } from './destination-draft.ts';
import { FilterRulesEditor } from './filter-rules-editor.tsx';

const REGIONS = [
  ['global', 'The ordinary address'],
  ['europe', 'The region Europe'],
  ['us', 'The region US'],
] as const;

const PARTS = [
  ['broadcast_generation_cost', 'Cost'],
  ['broadcast_generation_identity', 'Who called: name of the key, user, member'],
  ['broadcast_generation_request_context', 'Where from: referer and user agent'],
] as const;

export function SelectionFields({ form, error }: FormParts<DestinationDraft>) {
  const { control } = form;
  const { field: regions } = useController({ control, name: 'regions' });
  const { field: keys } = useController({ control, name: 'api_key_hashes' });
  const { field: rules } = useController({ control, name: 'filter_rules' });
  const toggleRegion = (region: DestinationDraft['regions'][number]): void =>
    regions.onChange(
      regions.value.includes(region) ? regions.value.filter((other) => other !== region) : [...regions.value, region],
    );
  return (
    <div className="scroll-thin flex h-full flex-col gap-5 overflow-y-auto p-4">
      <fieldset className="flex min-w-0 flex-col gap-1">
        <legend className="mb-1 text-sm font-semibold">What of a call</legend>
        <CheckField
          form={form}
          name="privacy_mode"
          isInverted
          label="Prompts and answers"
          hint="As they are stored: after guardrails, and not where contents are not kept."
        />
        {PARTS.map(([name, label]) => (
          <CheckField key={name} form={form} name={name} label={label} />
        ))}
      </fieldset>
      <InputField
        form={form}
        error={error}
        name="sampling_rate"
        label="Share of sessions, in percent"
        hint="A session is sent as a whole or not at all; calls without one are drawn one by one."
        fieldClass="max-w-72"
        type="number"
        min={0.01}
        max={100}
        step="any"
        show={(rate: number) => Number((rate * 100).toPrecision(6))}
        read={(percent) => (percent === '' ? Number.NaN : Number(percent) / 100)}
      />
      <fieldset className="flex min-w-0 flex-col gap-1">
        <legend className="mb-1 text-sm font-semibold">Calls that came to</legend>
        {REGIONS.map(([region, label]) => (
          <Checkbox
            key={region}
            label={label}
            checked={regions.value.includes(region)}
            onChange={() => toggleRegion(region)}
          />
        ))}
        {regions.value.length === 0 && <p className="text-xs text-bad">Choose one at least.</p>}
      </fieldset>
      <KeyChoice hashes={keys.value} onChange={keys.onChange} />
      <FilterRulesEditor rules={rules.value} onChange={rules.onChange} error={error} />
    </div>
  );
}

interface KeyChoiceProps {
  readonly hashes: readonly string[] | null;
  readonly onChange: (hashes: string[] | null) => void;
}

function KeyChoice({ hashes, onChange }: KeyChoiceProps) {
  const { data: keys = [] } = useQuery(keysQuery);
  const callers = keys.filter(({ management }) => !management);
  const chosen = hashes ?? [];
  const toggle = (hash: string): void => {
    const next = chosen.includes(hash) ? chosen.filter((other) => other !== hash) : [...chosen, hash];
    onChange(next.length === 0 ? null : next);
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 text-sm font-semibold">Calls of</legend>
      <Checkbox label="All keys" checked={hashes === null} disabled={hashes === null} onChange={() => onChange(null)} />
      {callers.map(({ hash, name, label }) => (
        <Checkbox
          key={hash}
          label={`${name} alone`}
          hint={label}
          checked={chosen.includes(hash)}
          onChange={() => toggle(hash)}
        />
      ))}
    </fieldset>
  );
}
