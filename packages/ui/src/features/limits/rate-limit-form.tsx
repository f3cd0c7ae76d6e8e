import { useMutation, useQuery } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';

import { allKeysQuery, modelsQuery } from '../../api/queries.ts';
import type { Options } from '../../parts/controls/select.tsx';
import { InputField, numberOrNull, SelectField } from '../form/fields.tsx';
import { toKeyEnd } from '../keys/key-parts.tsx';
import { limitsMessages } from './messages.ts';
import type { RateLimitRule } from './rate-limits.tsx';
import { LimitDialog, type LimitFormProps } from './stored-limits.tsx';

const NEW: RateLimitRule = { key: '*', model: '*', requests_per_minute: 60, tokens_per_minute: null };

/** The dialog that adds a rate limit, or changes one. */
export function RateLimitForm({ existing, place, onSave, onClose }: LimitFormProps<RateLimitRule>) {
  const t = limitsMessages();
  const form = useForm<RateLimitRule>({ defaultValues: existing ?? NEW });
  const save = useMutation({ mutationFn: onSave });
  const submit = form.handleSubmit((rule) => save.mutate(rule));
  const parts = { form, error: save.error };
  return (
    <LimitDialog isNew={existing === undefined} texts={t.form} saving={save} onSubmit={submit} onClose={onClose}>
      <SelectField
        {...parts}
        name="key"
        path={`data.${place}.key`}
        label={t.form.key}
        options={useKeyOptions(existing?.key)}
      />
      <SelectField
        {...parts}
        name="model"
        path={`data.${place}.model`}
        label={t.form.model}
        hint={t.form.modelHint}
        options={useModelOptions(existing?.model)}
      />
      <div className="grid grid-cols-2 gap-3">
        {(['requests', 'tokens'] as const).map((what) => (
          <InputField
            key={what}
            {...parts}
            name={`${what}_per_minute`}
            path={`data.${place}.${what}_per_minute`}
            label={t.form[what]}
            hint={t.form.empty}
            type="number"
            min={1}
            step={1}
            read={numberOrNull}
          />
        ))}
      </div>
    </LimitDialog>
  );
}

/** Keys that call models; those of the configuration by their names, which stay. */
export function useKeyOptions(present: string | undefined): Options {
  const t = limitsMessages();
  const { data: keys = [] } = useQuery(allKeysQuery);
  const options = keys
    .filter(({ management }) => !management)
    .map((key) => {
      const value = key.source === 'config' ? key.name : key.hash;
      return [value, `${key.name} ${toKeyEnd(key)}`.trim()] as const;
    });
  return withPresent([['*', t.eachKey], ...options], present);
}

function useModelOptions(present: string | undefined): Options {
  const t = limitsMessages();
  const { data: models = [] } = useQuery(modelsQuery);
  return withPresent([['*', t.allModels], ...models.map(({ id }) => [id, id] as const)], present);
}

/** What is chosen stays a choice, although its key or model is gone. */
export const withPresent = (options: readonly (readonly [string, string])[], present: string | undefined): Options =>
  present === undefined || options.some(([value]) => value === present) ? options : [...options, [present, present]];
