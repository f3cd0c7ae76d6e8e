import { useQuery } from '@tanstack/react-query';

import { keysQuery } from '../../api/queries.ts';
import { Checkbox, Field, issueFor } from '../../parts/controls/field.tsx';
import type { DestinationDraft } from './destination-draft.ts';
import { FilterRulesEditor } from './filter-rules-editor.tsx';

interface SelectionFieldsProps {
  readonly draft: DestinationDraft;
  readonly onChange: (draft: DestinationDraft) => void;
  readonly error: unknown;
}

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

export function SelectionFields({ draft, onChange, error }: SelectionFieldsProps) {
  const set = (change: Partial<DestinationDraft>): void => onChange({ ...draft, ...change });
  const toggleRegion = (region: DestinationDraft['regions'][number]): void =>
    set({
      regions: draft.regions.includes(region)
        ? draft.regions.filter((other) => other !== region)
        : [...draft.regions, region],
    });
  return (
    <div className="scroll-thin flex h-full flex-col gap-5 overflow-y-auto p-4">
      <fieldset className="flex min-w-0 flex-col gap-1">
        <legend className="mb-1 text-sm font-semibold">What of a call</legend>
        <Checkbox
          label="Prompts and answers"
          hint="As they are stored: after guardrails, and not where contents are not kept."
          checked={!draft.privacy_mode}
          onChange={(event) => set({ privacy_mode: !event.target.checked })}
        />
        {PARTS.map(([name, label]) => (
          <Checkbox
            key={name}
            label={label}
            checked={draft[name]}
            onChange={(event) => set({ [name]: event.target.checked })}
          />
        ))}
      </fieldset>
      <Field
        label="Share of sessions, in percent"
        hint="A session is sent as a whole or not at all; calls without one are drawn one by one."
        error={issueFor(error, 'sampling_rate')}
        className="max-w-72"
      >
        {(control) => (
          <input
            {...control}
            type="number"
            min={0.01}
            max={100}
            step="any"
            className="field"
            value={Number((draft.sampling_rate * 100).toPrecision(6))}
            onChange={(event) => set({ sampling_rate: event.target.valueAsNumber / 100 })}
          />
        )}
      </Field>
      <fieldset className="flex min-w-0 flex-col gap-1">
        <legend className="mb-1 text-sm font-semibold">Calls that came to</legend>
        {REGIONS.map(([region, label]) => (
          <Checkbox
            key={region}
            label={label}
            checked={draft.regions.includes(region)}
            onChange={() => toggleRegion(region)}
          />
        ))}
        {draft.regions.length === 0 && <p className="text-xs text-bad">Choose one at least.</p>}
      </fieldset>
      <KeyChoice hashes={draft.api_key_hashes} onChange={(hashes) => set({ api_key_hashes: hashes })} />
      <FilterRulesEditor rules={draft.filter_rules} onChange={(rules) => set({ filter_rules: rules })} error={error} />
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
