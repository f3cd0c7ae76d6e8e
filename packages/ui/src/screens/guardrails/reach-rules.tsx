import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useController } from 'react-hook-form';

import { modelsQuery, providersQuery } from '../../api/queries.ts';
import { CheckField, type FormParts, InputField, SelectField, toResetOptions } from '../../features/form/fields.tsx';
import { toModelOptions, toOptionValues, toProviderOptions } from '../../features/guardrails/model-options.ts';
import { Field, issueFor } from '../../parts/controls/field.tsx';
import type { SelectOption } from '../../parts/controls/multi-select-options.ts';
import { MultiSelect } from '../../parts/controls/multi-select.tsx';
import type { GuardrailDraft } from './guardrail-draft.ts';
import { guardrailsMessages } from './messages.ts';

const NOTHING: readonly never[] = [];

export function ReachRules(parts: FormParts<GuardrailDraft>) {
  const t = guardrailsMessages().access;
  const { data: models = NOTHING } = useQuery(modelsQuery);
  const { data: providers = NOTHING } = useQuery(providersQuery);
  const modelOptions = useMemo(() => toModelOptions(models), [models]);
  const providerOptions = useMemo(() => toProviderOptions(providers), [providers]);
  return (
    <div className="scroll-thin flex h-full flex-col gap-4 overflow-y-auto p-4 *:max-w-2xl">
      <InputField {...parts} name="name" label={t.name} required />
      <InputField {...parts} name="description" label={t.description} />
      <fieldset className="flex min-w-0 flex-col gap-2 rounded-lg border border-line p-3">
        <legend className="px-1 text-sm font-semibold">{t.budget}</legend>
        <div className="grid grid-cols-2 gap-3">
          <InputField
            {...parts}
            name="limit"
            path="limit_usd"
            label={t.usd}
            hint={t.noBudget}
            type="number"
            min={0}
            step="any"
          />
          <SelectField {...parts} name="interval" path="reset_interval" label={t.resets} options={toResetOptions()} />
        </div>
        <CheckField form={parts.form} name="countsByok" label={t.byok} />
      </fieldset>
      <div className="flex flex-col gap-3">
        <ListField
          {...parts}
          name="allowedModels"
          path="allowed_models"
          label={t.allowedModels}
          options={modelOptions}
        />
        <ListField
          {...parts}
          name="ignoredModels"
          path="ignored_models"
          label={t.ignoredModels}
          options={modelOptions}
        />
        <ListField
          {...parts}
          name="allowedProviders"
          path="allowed_providers"
          label={t.allowedProviders}
          options={providerOptions}
        />
        <ListField
          {...parts}
          name="ignoredProviders"
          path="ignored_providers"
          label={t.ignoredProviders}
          options={providerOptions}
        />
      </div>
      <div className="flex flex-col gap-1">
        <CheckField form={parts.form} name="zdr" label={t.zdr} />
        <CheckField form={parts.form} name="forbidsTraining" label={t.noTraining} />
      </div>
    </div>
  );
}

interface ListFieldProps extends FormParts<GuardrailDraft> {
  readonly name: 'allowedModels' | 'ignoredModels' | 'allowedProviders' | 'ignoredProviders';
  readonly path: string;
  readonly label: string;
  readonly options: readonly SelectOption[];
}

function ListField({ form, error, name, path, label, options }: ListFieldProps) {
  const { value, onChange } = useController({ control: form.control, name }).field;
  const t = guardrailsMessages().access[name.endsWith('Models') ? 'models' : 'providers'];
  return (
    <Field label={label} error={issueFor(error, path)}>
      {(control) => (
        <MultiSelect
          control={control}
          noun={t.noun}
          options={options}
          chosen={toOptionValues(value, options)}
          onChange={onChange}
          placeholder={name.startsWith('allowed') ? t.all : t.no}
          allowsOther
          unknownNote={t.unknown}
        />
      )}
    </Field>
  );
}
