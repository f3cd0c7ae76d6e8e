import type { ByokKey } from '@model-gateway/core/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useController, useForm, useWatch, type UseFormReturn } from 'react-hook-form';

import { allKeysQuery, modelsQuery, providersQuery } from '../../../api/queries.ts';
import { CheckField, InputField, SelectField } from '../../../features/form/fields.tsx';
import { Field, issueFor } from '../../../parts/controls/field.tsx';
import { MultiSelect } from '../../../parts/controls/multi-select.tsx';
import { Dialog, FormActions } from '../../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../../parts/messages/error-panel.tsx';
import { ownKeyMessages } from './own-key-messages.ts';

interface OwnKeyValues {
  readonly provider: string;
  readonly key: string;
  readonly name: string;
  readonly place: 'first' | 'fallback';
  /** The gateway's own key of the provider is not used. */
  readonly isAlone: boolean;
  /** Empty stands for all. */
  readonly models: readonly string[];
  readonly hashes: readonly string[];
}

const toValues = (key: ByokKey | undefined): OwnKeyValues => ({
  provider: key?.provider ?? '',
  key: '',
  name: key?.name ?? '',
  place: key?.is_fallback === true ? 'fallback' : 'first',
  isAlone: key?.is_byok_only ?? false,
  models: key?.allowed_models ?? [],
  hashes: key?.allowed_api_key_hashes ?? [],
});

const toBody = ({ key, name, place, isAlone, models, hashes }: OwnKeyValues) => ({
  ...(key !== '' && { key }),
  name: name === '' ? null : name,
  is_fallback: place === 'fallback',
  is_byok_only: place === 'first' && isAlone,
  allowed_models: models.length === 0 ? null : models,
  allowed_api_key_hashes: hashes.length === 0 ? null : hashes,
});

interface OwnKeyFormProps {
  readonly existing: ByokKey | undefined;
  /** Rejects where it could not be saved. */
  readonly onSave: (body: object) => Promise<void>;
  readonly onClose: () => void;
}

/** The dialog that adds a provider key of a workspace, or changes one; what was saved of a key is never shown. */
export function OwnKeyForm({ existing, onSave, onClose }: OwnKeyFormProps) {
  const t = ownKeyMessages();
  const formId = useId();
  const { data: providers = [] } = useQuery(providersQuery);
  const form = useForm<OwnKeyValues>({ defaultValues: toValues(existing) });
  const place = useWatch({ control: form.control, name: 'place' });
  const save = useMutation({
    mutationFn: (values: OwnKeyValues) =>
      onSave({ ...(existing === undefined && { provider: values.provider }), ...toBody(values) }),
  });
  const submit = form.handleSubmit((values) => save.mutate(values));
  const parts = { form, error: save.error };
  return (
    <Dialog
      title={existing === undefined ? t.newTitle : t.editTitle(existing.name ?? existing.label)}
      onClose={onClose}
      actions={
        <FormActions
          formId={formId}
          submit={existing === undefined ? t.create : t.save}
          isBusy={save.isPending}
          onClose={onClose}
        />
      }
    >
      <form id={formId} onSubmit={(event) => void submit(event)} className="flex flex-col gap-4" autoComplete="off">
        {existing === undefined && (
          <SelectField
            {...parts}
            name="provider"
            label={t.provider}
            required
            options={[['', t.choose], ...providers.map(({ slug, name }) => [slug, name] as const)]}
          />
        )}
        <InputField
          {...parts}
          name="key"
          label={existing === undefined ? t.key : t.newKey}
          hint={existing === undefined ? t.keyHint : t.newKeyHint}
          type="password"
          autoComplete="new-password"
          required={existing === undefined}
        />
        <InputField {...parts} name="name" label={t.name} hint={t.nameHint} maxLength={255} />
        <SelectField
          {...parts}
          name="place"
          path="is_fallback"
          label={t.place}
          options={[
            ['first', t.places.first],
            ['fallback', t.places.fallback],
          ]}
        />
        {place === 'first' && <CheckField form={form} name="isAlone" label={t.isAlone} />}
        <Lists {...parts} />
        {save.error !== null && <UnsavedPanel error={save.error} onRetry={() => void submit()} />}
      </form>
    </Dialog>
  );
}

/** Whose calls of which models use it. */
function Lists({ form, error }: { readonly form: UseFormReturn<OwnKeyValues>; readonly error: unknown }) {
  const t = ownKeyMessages();
  const { data: models = [] } = useQuery(modelsQuery);
  const { data: keys = [] } = useQuery(allKeysQuery);
  const chosenModels = useController({ control: form.control, name: 'models' }).field;
  const chosenKeys = useController({ control: form.control, name: 'hashes' }).field;
  return (
    <>
      <Field label={t.models} error={issueFor(error, 'allowed_models')}>
        {(control) => (
          <MultiSelect
            control={control}
            noun={t.modelNoun}
            placeholder={t.allModels}
            options={models.map(({ id, name }) => ({ value: id, label: id, words: name }))}
            chosen={chosenModels.value}
            onChange={chosenModels.onChange}
            allowsOther
          />
        )}
      </Field>
      <Field label={t.keys} error={issueFor(error, 'allowed_api_key_hashes')}>
        {(control) => (
          <MultiSelect
            control={control}
            noun={t.keyNoun}
            placeholder={t.allKeys}
            options={keys
              .filter(({ management }) => !management)
              .map(({ hash, name, label }) => ({ value: hash, label: name, note: label }))}
            chosen={chosenKeys.value}
            onChange={chosenKeys.onChange}
          />
        )}
      </Field>
    </>
  );
}
