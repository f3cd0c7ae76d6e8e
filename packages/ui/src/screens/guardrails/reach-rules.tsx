import type { Model } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useController } from 'react-hook-form';

import { modelsQuery, providersQuery } from '../../api/queries.ts';
import type { Provider } from '../../api/types.ts';
import { CheckField, type FormParts, InputField, RESET_OPTIONS, SelectField } from '../../features/form/fields.tsx';
import { formatTokenPrice } from '../../features/models/model-facts.ts';
import { formatCompact } from '../../format/quantity.ts';
import { Field, issueFor } from '../../parts/controls/field.tsx';
import type { SelectOption } from '../../parts/controls/multi-select-options.ts';
import { MultiSelect } from '../../parts/controls/multi-select.tsx';
import type { GuardrailDraft } from './guardrail-draft.ts';

const NOTHING: readonly never[] = [];
const UNKNOWN = {
  models: 'not a model of this gateway',
  providers: 'not a known provider; it may be a preset or a provider behind a gateway',
};

export function ReachRules(parts: FormParts<GuardrailDraft>) {
  const { data: models = NOTHING } = useQuery(modelsQuery);
  const { data: providers = NOTHING } = useQuery(providersQuery);
  const modelOptions = useMemo(() => toModelOptions(models), [models]);
  const providerOptions = useMemo(() => toProviderOptions(providers), [providers]);
  return (
    <div className="scroll-thin flex h-full flex-col gap-4 overflow-y-auto p-4">
      <InputField {...parts} name="name" label="Name" required />
      <InputField {...parts} name="description" label="Description" />
      <fieldset className="flex min-w-0 flex-col gap-2 rounded-lg border border-line p-3">
        <legend className="px-1 text-sm font-semibold">Budget per key</legend>
        <div className="grid grid-cols-2 gap-3">
          <InputField
            {...parts}
            name="limit"
            path="limit_usd"
            label="USD"
            hint="Leave empty for no budget"
            type="number"
            min={0}
            step="any"
          />
          <SelectField {...parts} name="interval" path="reset_interval" label="Resets" options={RESET_OPTIONS} />
        </div>
        <CheckField form={parts.form} name="countsByok" label="Include calls with callers’ own provider keys (BYOK)" />
      </fieldset>
      <div className="flex flex-col gap-3">
        <ListField
          {...parts}
          name="allowedModels"
          path="allowed_models"
          label="Allowed models"
          hint="Prices per million tokens, context"
          options={modelOptions}
        />
        <ListField
          {...parts}
          name="ignoredModels"
          path="ignored_models"
          label="Blocked models"
          options={modelOptions}
        />
        <ListField
          {...parts}
          name="allowedProviders"
          path="allowed_providers"
          label="Allowed providers"
          options={providerOptions}
        />
        <ListField
          {...parts}
          name="ignoredProviders"
          path="ignored_providers"
          label="Blocked providers"
          options={providerOptions}
        />
      </div>
      <div className="flex flex-col gap-1">
        <CheckField form={parts.form} name="zdr" label="Zero data retention only" />
        <CheckField form={parts.form} name="forbidsTraining" label="No endpoints that train on prompts" />
      </div>
    </div>
  );
}

interface ListFieldProps extends FormParts<GuardrailDraft> {
  readonly name: 'allowedModels' | 'ignoredModels' | 'allowedProviders' | 'ignoredProviders';
  readonly path: string;
  readonly label: string;
  readonly hint?: string;
  readonly options: readonly SelectOption[];
}

function ListField({ form, error, name, path, label, hint, options }: ListFieldProps) {
  const { value, onChange } = useController({ control: form.control, name }).field;
  const noun = name.endsWith('Models') ? 'models' : 'providers';
  return (
    <Field label={label} hint={hint} error={issueFor(error, path)}>
      {(control) => (
        <MultiSelect
          control={control}
          noun={noun}
          options={options}
          chosen={toOptionValues(value, options)}
          onChange={onChange}
          placeholder={name.startsWith('allowed') ? `All ${noun}` : `No ${noun}`}
          allowsOther
          unknownNote={UNKNOWN[noun]}
        />
      )}
    </Field>
  );
}

/** Models by their canonical slugs, as which guardrails keep them, with prices for a million tokens and context. */
export function toModelOptions(models: readonly Model[]): readonly SelectOption[] {
  const byValue = new Map<string, SelectOption>();
  for (const { id, name, canonical_slug: slug, pricing, context_length: context } of models) {
    const value = slug ?? id;
    if (byValue.has(value)) continue;
    const [input, output] = [formatTokenPrice(pricing, 'prompt'), formatTokenPrice(pricing, 'completion')];
    const price = input === output ? input : `${input} / ${output}`;
    const note = context === null ? price : `${price} · ${formatCompact(context)}`;
    byValue.set(value, { value, label: id, note, words: `${name} ${id}` });
  }
  return [...byValue.values()];
}

export const toProviderOptions = (providers: readonly Pick<Provider, 'slug' | 'name'>[]): readonly SelectOption[] =>
  providers.map(({ slug, name }) => ({ value: slug, label: name, note: slug, words: slug }));

/** The values of options for what a guardrail has, which may name models by id and providers by name. */
export function toOptionValues(list: readonly string[], options: readonly SelectOption[]): readonly string[] {
  const values = list.map((written) => {
    const wanted = written.toLowerCase();
    const named = options.find(({ value, label }) => value === written || label.toLowerCase() === wanted);
    return named?.value ?? written;
  });
  return [...new Set(values)];
}
