import type { Alarm } from '@model-gateway/core/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { useFieldArray, useForm, useWatch } from 'react-hook-form';

import { allKeysQuery, workspacesQuery } from '../../api/queries.ts';
import { toChanged } from '../../features/form/changes.ts';
import { InputField, numberOrNull, SelectField } from '../../features/form/fields.tsx';
import { fromLocalMoment, LAST_LOCAL_MOMENT, toLocalMoment } from '../../format/time.ts';
import { Button } from '../../parts/controls/button.tsx';
import { useRowFocus } from '../../parts/controls/use-row-focus.ts';
import { Dialog, FormActions } from '../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { alarmMessages } from './alarm-messages.ts';

interface AlarmValues extends Pick<Alarm, 'name' | 'what' | 'of' | 'period' | 'to'> {
  readonly threshold: number | null;
  readonly window_minutes: number | null;
  readonly min_calls: number | null;
  readonly min_usd: number | null;
  /** As the field of a date has it, in minutes; empty for not silenced. */
  readonly silenced: string;
}

type Choices = readonly (readonly [value: string, label: string])[];

const MAX_RECEIVERS = 5;
const HOUR = 60;
const DAY = 24 * HOUR;

const toValues = (alarm: Alarm | undefined): AlarmValues => ({
  name: alarm?.name ?? '',
  what: alarm?.what ?? 'spend_usd',
  of: alarm?.of ?? 'account',
  period: alarm?.period ?? 'month',
  to: alarm?.to.map(({ type, url }) => ({ type, url: type === 'mail' ? url.slice(MAILTO.length) : url })) ?? [
    { type: 'webhook', url: '' },
  ],
  threshold: alarm?.threshold ?? null,
  window_minutes: alarm?.window_minutes ?? HOUR,
  min_calls: alarm?.min_calls ?? 10,
  min_usd: alarm?.min_usd ?? 1,
  silenced: toLocalMoment(alarm?.silenced_until ?? null),
});

const MAILTO = 'mailto:';

function toBody({ silenced, window_minutes, min_calls, min_usd, to, ...values }: AlarmValues) {
  const { hasWindow, hasCalls, isSpike } = partsOf(values.what);
  return {
    ...values,
    to: to.map(({ type, url }) => ({ type, url: type === 'mail' ? `${MAILTO}${url}` : url })),
    ...(hasWindow && { window_minutes }),
    ...(hasCalls && { min_calls }),
    ...(isSpike && { min_usd }),
    silenced_until: fromLocalMoment(silenced),
  };
}

/** Which of the further fields a kind has. */
function partsOf(what: Alarm['what']) {
  const hasCalls = what === 'error_rate' || what === 'first_token_ms' || what === 'duration_ms';
  const isSpike = what === 'spend_spike';
  return { hasCalls, isSpike, hasWindow: hasCalls || isSpike };
}

interface AlarmFormProps {
  readonly existing: Alarm | undefined;
  /** Is given all of a new one, and what has changed of another. Rejects where it could not be saved. */
  readonly onSave: (body: object) => Promise<void>;
  readonly onClose: () => void;
}

/** The dialog that creates an alarm, or changes one. */
export function AlarmForm({ existing, onSave, onClose }: AlarmFormProps) {
  const t = alarmMessages();
  const formId = useId();
  const [opened] = useState(() => toValues(existing));
  const form = useForm<AlarmValues>({ defaultValues: opened });
  const what = useWatch({ control: form.control, name: 'what' });
  const save = useMutation({
    // What is sent again counts as a change: an alarm with another rule or receiver begins anew.
    mutationFn: (values: AlarmValues) =>
      onSave(existing === undefined ? toBody(values) : toChanged(toBody(values), toBody(opened))),
  });
  const submit = form.handleSubmit((values) => save.mutate(values));
  const parts = { form, error: save.error };
  const of = useWatch({ control: form.control, name: 'of' });
  const subjects = useSubjectOptions(what);
  const windows: Choices = [
    [String(HOUR), t.windows.hour],
    [String(DAY), t.windows.day],
  ];
  /** Another kind may not look at the same, or over the same time. */
  const fitTo = (kind: Alarm['what']): void => {
    if (!canLookAt(kind, form.getValues('of'))) form.setValue('of', 'account');
    const isListed = windows.some(([value]) => value === String(form.getValues('window_minutes')));
    if (partsOf(kind).isSpike && !isListed) form.setValue('window_minutes', HOUR);
  };
  const number = { type: 'number', min: 0, step: 'any', read: numberOrNull } as const;
  const { hasCalls, isSpike } = partsOf(what);
  return (
    <Dialog
      title={existing === undefined ? t.create : t.editTitle(existing.name)}
      width="wide"
      onClose={onClose}
      actions={
        <FormActions
          formId={formId}
          submit={existing === undefined ? t.save.create : t.save.change}
          isBusy={save.isPending}
          onClose={onClose}
        />
      }
    >
      <form id={formId} onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <InputField {...parts} name="name" label={t.name} required maxLength={100} />
          <SelectField
            {...parts}
            name="what"
            label={t.kind}
            options={Object.entries(t.kinds)}
            onChosen={(kind) => fitTo(kind as Alarm['what'])}
          />
          <SelectField {...parts} name="of" label={t.of} options={withPresent(subjects, of)} />
          <InputField {...parts} {...number} name="threshold" label={t.threshold} hint={t.thresholds[what]} required />
          <SelectField {...parts} name="period" label={t.period} options={Object.entries(t.periods)} />
          {isSpike && (
            <>
              <SelectField {...parts} name="window_minutes" label={t.window} read={Number} options={windows} />
              <InputField {...parts} {...number} name="min_usd" label={t.minUsd} required />
            </>
          )}
          {hasCalls && (
            <>
              <InputField {...parts} {...number} name="window_minutes" label={t.windowMinutes} required />
              <InputField {...parts} {...number} name="min_calls" label={t.minCalls} required />
            </>
          )}
          <InputField
            {...parts}
            name="silenced"
            path="silenced_until"
            label={t.silence}
            hint={t.silenceHint}
            type="datetime-local"
            max={LAST_LOCAL_MOMENT}
          />
        </div>
        <Receivers {...parts} />
        {save.error !== null && <UnsavedPanel error={save.error} onRetry={() => void submit()} />}
      </form>
    </Dialog>
  );
}

function Receivers(parts: { readonly form: ReturnType<typeof useForm<AlarmValues>>; readonly error: unknown }) {
  const t = alarmMessages();
  const { fields, append, remove } = useFieldArray({ control: parts.form.control, name: 'to' });
  const receivers = useWatch({ control: parts.form.control, name: 'to' });
  const { around, beforeRemoval } = useRowFocus<HTMLFieldSetElement>();
  return (
    <fieldset {...around} className="flex flex-col gap-3">
      <legend className="mb-2 text-sm font-semibold">{t.sendTo}</legend>
      {fields.length === 0 && <p className="text-sm text-ink-faint">{t.noReceivers}</p>}
      {fields.map((field, index) => {
        const isMail = receivers[index]?.type === 'mail';
        return (
          <div key={field.id} className="flex flex-wrap items-end gap-3">
            <SelectField
              {...parts}
              name={`to.${index}.type`}
              label={t.receiver}
              options={Object.entries(t.receivers)}
              fieldClass="w-32"
              className="w-full"
            />
            <InputField
              {...parts}
              name={`to.${index}.url`}
              label={t.url}
              type={isMail ? 'email' : 'url'}
              placeholder={isMail ? 'ops@example.com' : 'https://'}
              required
              fieldClass="min-w-0 flex-1 basis-40"
            />
            <Button
              data-remove
              aria-label={t.removeReceiver(index + 1)}
              icon={<Trash2 size={15} />}
              onClick={() => {
                beforeRemoval(index);
                remove(index);
              }}
            />
          </div>
        );
      })}
      {fields.length < MAX_RECEIVERS && (
        <Button
          data-add
          icon={<Plus size={15} />}
          onClick={() => append({ type: 'webhook', url: '' })}
          className="self-start"
        >
          {t.addReceiver}
        </Button>
      )}
    </fieldset>
  );
}

/** With what the alarm looks at where that is none of the options, as a key that is gone. */
const withPresent = (options: Choices, of: string): Choices =>
  options.some(([option]) => option === of) ? options : [...options, [of, toShortId(of)]];

/** Whether a kind can look at this: all can at the account, most at keys and workspaces. */
function canLookAt(what: Alarm['what'], of: string): boolean {
  if (of === 'account') return true;
  if (what === 'provider_down' || what === 'key_refused') return false;
  return what !== 'guardrail_hits' || !of.startsWith('key:');
}

/** What a kind can look at: the account, and where it can, keys and workspaces. */
function useSubjectOptions(what: Alarm['what']): Choices {
  const t = alarmMessages();
  const { data: keys = [] } = useQuery(allKeysQuery);
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const all: Choices = [
    ['account', t.account],
    ...workspaces.map(({ id, name }) => [`workspace:${id}`, t.workspaceNamed(name)] as const),
    ...keys.map(({ hash, name }) => [`key:${hash}`, t.keyNamed(name)] as const),
  ];
  return all.filter(([of]) => canLookAt(what, of));
}

/** Names what an alarm looks at, or gives the beginning of an id whose thing is gone. */
export function useSubjectNames(): (of: string) => string {
  const options = useSubjectOptions('spend_usd');
  return (of) => options.find(([value]) => value === of)?.[1] ?? toShortId(of);
}

const SHOWN_LENGTH = 20;
const toShortId = (of: string): string => `${of.slice(0, SHOWN_LENGTH)}…`;
