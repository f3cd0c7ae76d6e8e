import type { CallLimitList } from '@model-gateway/core/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';

import { modelsQuery, providersQuery } from '../../api/queries.ts';
import type { Options } from '../../parts/controls/select.tsx';
import { InputField, numberOrNull, SelectField } from '../form/fields.tsx';
import { callLimitMessages } from './call-limit-messages.ts';
import { useKeyOptions, withPresent } from './rate-limit-form.tsx';
import { LimitDialog, type LimitFormProps } from './stored-limits.tsx';

/** A limit on calls under way as it is stored. */
export type CallLimit = Pick<CallLimitList['data'][number], 'key' | 'model' | 'provider' | 'calls_under_way' | 'queue'>;

/** As it is typed: an empty text counts all together. */
interface LimitDraft {
  readonly key: string;
  readonly model: string;
  readonly provider: string;
  readonly calls_under_way: number | null;
  readonly length: number | null;
  readonly seconds: number | null;
}

const NEW: LimitDraft = { key: '', model: '', provider: '', calls_under_way: 8, length: null, seconds: null };
/** How long calls wait, unless it is said. */
const USUAL_SECONDS = 30;

const toDraft = ({ key, model, provider, calls_under_way, queue }: CallLimit): LimitDraft => ({
  key: key ?? '',
  model: model ?? '',
  provider: provider ?? '',
  calls_under_way,
  length: queue?.length ?? null,
  seconds: queue?.seconds ?? null,
});

const toLimit = ({ key, model, provider, calls_under_way, length, seconds }: LimitDraft): CallLimit => ({
  key: key || null,
  model: model || null,
  provider: provider || null,
  // What is missing is the gateway's to refuse.
  calls_under_way: calls_under_way ?? 0,
  queue: length === null ? null : { length, seconds: seconds ?? USUAL_SECONDS },
});

/** The dialog that adds a limit on calls under way, or changes one. */
export function CallLimitForm({ existing, place, onSave, onClose }: LimitFormProps<CallLimit>) {
  const t = callLimitMessages();
  const form = useForm<LimitDraft>({ defaultValues: existing === undefined ? NEW : toDraft(existing) });
  const save = useMutation({ mutationFn: onSave });
  const submit = form.handleSubmit((draft) => save.mutate(toLimit(draft)));
  const parts = { form, error: save.error };
  const { data: models = [] } = useQuery(modelsQuery);
  const { data: providers = [] } = useQuery(providersQuery);
  const keys = useKeyOptions(existing?.key ?? undefined);
  const toOptions = (part: 'key' | 'model' | 'provider', named: Options): Options => [
    ['', t.form.together[part]],
    ['*', t.each[part]],
    ...named.filter(([value]) => value !== '*'),
  ];
  const number = { type: 'number', min: 1, step: 1, read: numberOrNull } as const;
  return (
    <LimitDialog isNew={existing === undefined} texts={t.form} saving={save} onSubmit={submit} onClose={onClose}>
      <SelectField
        {...parts}
        name="key"
        path={`data.${place}.key`}
        label={t.form.key}
        options={toOptions('key', keys)}
      />
      <SelectField
        {...parts}
        name="model"
        path={`data.${place}.model`}
        label={t.form.model}
        options={toOptions(
          'model',
          withPresent(
            models.map(({ id }) => [id, id] as const),
            existing?.model ?? undefined,
          ),
        )}
      />
      <SelectField
        {...parts}
        name="provider"
        path={`data.${place}.provider`}
        label={t.form.provider}
        options={toOptions(
          'provider',
          withPresent(
            providers.map(({ slug, name }) => [slug, name] as const),
            existing?.provider ?? undefined,
          ),
        )}
      />
      <InputField
        {...parts}
        {...number}
        name="calls_under_way"
        path={`data.${place}.calls_under_way`}
        label={t.form.atOnce}
        required
      />
      <div className="grid grid-cols-2 gap-3">
        <InputField
          {...parts}
          {...number}
          name="length"
          path={`data.${place}.queue.length`}
          label={t.form.length}
          hint={t.form.lengthHint}
        />
        <InputField
          {...parts}
          {...number}
          name="seconds"
          path={`data.${place}.queue.seconds`}
          label={t.form.seconds}
          placeholder={String(USUAL_SECONDS)}
        />
      </div>
    </LimitDialog>
  );
}
