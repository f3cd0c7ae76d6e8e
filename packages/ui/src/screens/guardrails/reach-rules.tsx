import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

import { modelsQuery, providersQuery } from '../../api/queries.ts';
import { Checkbox, Field, issueFor } from '../../parts/controls/field.tsx';
import { MultiSelect } from '../../parts/controls/multi-select.tsx';
import type { GuardrailDraft } from './guardrail-draft.ts';
import { toModelOptions, toOptionValues, toProviderOptions } from './reach-options.ts';

export interface RulesProps {
  readonly draft: GuardrailDraft;
  readonly onChange: (draft: GuardrailDraft) => void;
  readonly error: unknown;
}

const NOTHING: readonly never[] = [];
const UNKNOWN = {
  models: 'not a model of this gateway',
  providers: 'no slug or name of a provider here; it may be a preset, or a provider behind a gateway',
};

export function ReachRules({ draft, onChange, error }: RulesProps) {
  const { data: models = NOTHING } = useQuery(modelsQuery);
  const { data: providers = NOTHING } = useQuery(providersQuery);
  const modelOptions = useMemo(() => toModelOptions(models), [models]);
  const providerOptions = useMemo(() => toProviderOptions(providers), [providers]);
  const set = (change: Partial<GuardrailDraft>): void => onChange({ ...draft, ...change });
  const list = (
    label: string,
    hint: string | undefined,
    name: 'allowedModels' | 'ignoredModels' | 'allowedProviders' | 'ignoredProviders',
    path: string,
  ) => {
    const noun = name.endsWith('Models') ? 'models' : 'providers';
    const options = noun === 'models' ? modelOptions : providerOptions;
    return (
      <Field label={label} hint={hint} error={issueFor(error, path)}>
        {(control) => (
          <MultiSelect
            control={control}
            noun={noun}
            options={options}
            chosen={toOptionValues(draft[name], options)}
            onChange={(chosen) => set({ [name]: chosen })}
            placeholder={name.startsWith('allowed') ? `All ${noun}` : `No ${noun}`}
            allowsOther
            unknownNote={UNKNOWN[noun]}
          />
        )}
      </Field>
    );
  };
  return (
    <div className="scroll-thin flex h-full flex-col gap-4 overflow-y-auto p-4">
      <Field label="Name" error={issueFor(error, 'name')}>
        {(control) => (
          <input
            {...control}
            required
            className="field"
            value={draft.name}
            onChange={(event) => set({ name: event.target.value })}
          />
        )}
      </Field>
      <Field label="Description" error={issueFor(error, 'description')}>
        {(control) => (
          <input
            {...control}
            className="field"
            value={draft.description}
            onChange={(event) => set({ description: event.target.value })}
          />
        )}
      </Field>
      <fieldset className="flex min-w-0 flex-col gap-2 rounded-lg border border-line p-3">
        <legend className="px-1 text-sm font-semibold">Budget of each key</legend>
        <div className="grid grid-cols-2 gap-3">
          <Field label="USD" hint="Empty for no budget" error={issueFor(error, 'limit_usd')}>
            {(control) => (
              <input
                {...control}
                type="number"
                min={0}
                step="any"
                className="field"
                value={draft.limit}
                onChange={(event) => set({ limit: event.target.value })}
              />
            )}
          </Field>
          <Field label="Begins anew" error={issueFor(error, 'reset_interval')}>
            {(control) => (
              <select
                {...control}
                className="field"
                value={draft.interval}
                onChange={(event) => set({ interval: event.target.value as GuardrailDraft['interval'] })}
              >
                <option value="">never</option>
                <option value="daily">every day</option>
                <option value="weekly">every week</option>
                <option value="monthly">every month</option>
              </select>
            )}
          </Field>
        </div>
        <Checkbox
          label="Count calls on callers’ own provider keys, too"
          checked={draft.countsByok}
          onChange={(event) => set({ countsByok: event.target.checked })}
        />
      </fieldset>
      <div className="flex flex-col gap-3">
        {list('Only these models', 'Prices for a million tokens, context', 'allowedModels', 'allowed_models')}
        {list('Never these models', undefined, 'ignoredModels', 'ignored_models')}
        {list('Only these providers', undefined, 'allowedProviders', 'allowed_providers')}
        {list('Never these providers', undefined, 'ignoredProviders', 'ignored_providers')}
      </div>
      <div className="flex flex-col gap-1">
        <Checkbox
          label="Only endpoints that keep nothing (ZDR)"
          checked={draft.zdr}
          onChange={(event) => set({ zdr: event.target.checked })}
        />
        <Checkbox
          label="Never endpoints that train on what they are sent"
          checked={draft.forbidsTraining}
          onChange={(event) => set({ forbidsTraining: event.target.checked })}
        />
      </div>
    </div>
  );
}
