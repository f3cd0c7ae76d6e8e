import type { AnyKey } from '@model-gateway/core/wire';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import type { ResetInterval } from '../../api/types.ts';
import { RateLimitList } from '../../features/limits/rate-limits.tsx';
import { Checkbox, Field, issueFor } from '../../parts/controls/field.tsx';
import { Dialog, FormActions } from '../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { changeKey } from './change-key.ts';
import { fromLocalMoment, toLocalMoment } from './local-moment.ts';

interface KeyFormProps {
  readonly existing?: AnyKey;
  readonly onClose: () => void;
  /** Called with the new key, which is never shown again; with null after a change. */
  readonly onSaved: (secret: string | null) => Promise<void>;
}

export function KeyForm({ existing, onClose, onSaved }: KeyFormProps) {
  const formId = useId();
  const [name, setName] = useState(existing?.name ?? '');
  const [limit, setLimit] = useState(existing?.limit?.toString() ?? '');
  const [reset, setReset] = useState(existing?.limit_reset ?? '');
  const before = toLocalMoment(existing?.expires_at ?? null);
  const [expires, setExpires] = useState(before);
  const [isManagement, setIsManagement] = useState(false);
  const [countsByok, setCountsByok] = useState(existing?.include_byok_in_limit ?? false);
  const save = useMutation({
    mutationFn: async () => {
      const body = {
        name,
        limit: limit === '' ? null : Number(limit),
        limit_reset: reset === '' ? null : (reset as ResetInterval),
        include_byok_in_limit: countsByok,
      };
      if (existing !== undefined) {
        // The field has minutes, and the gateway thousandths: what is not changed stays as it is.
        const end = expires === before ? {} : { expires_at: fromLocalMoment(expires) };
        await changeKey(existing, { ...body, ...end }, `Changed “${name}”`);
        return onSaved(null);
      }
      const { key } = await callApi<{ key: string }>('/api/v1/keys', {
        method: 'POST',
        body: {
          ...body,
          expires_at: fromLocalMoment(expires),
          ...(isManagement && { management: true }),
        },
      });
      await onSaved(key);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog
      title={existing === undefined ? 'New key' : `Change “${existing.name}”`}
      onClose={onClose}
      actions={
        <FormActions
          formId={formId}
          submit={existing === undefined ? 'Make the key' : 'Save'}
          isBusy={save.isPending}
          onClose={onClose}
        />
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Name" error={issueFor(save.error, 'name')}>
          {(control) => (
            <input
              {...control}
              required
              maxLength={200}
              className="field"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <div className="grid grid-cols-2 gap-3">
          <Field label="Limit in USD" hint="Empty for none" error={issueFor(save.error, 'limit')}>
            {(control) => (
              <input
                {...control}
                type="number"
                min={0}
                step="any"
                className="field"
                value={limit}
                onChange={(event) => setLimit(event.target.value)}
              />
            )}
          </Field>
          <Field label="Begins anew" error={issueFor(save.error, 'limit_reset')}>
            {(control) => (
              <select {...control} className="field" value={reset} onChange={(event) => setReset(event.target.value)}>
                <option value="">never</option>
                <option value="daily">every day</option>
                <option value="weekly">every week</option>
                <option value="monthly">every month</option>
              </select>
            )}
          </Field>
        </div>
        <Checkbox
          label="Count calls on the caller’s own provider keys, too"
          checked={countsByok}
          onChange={(event) => setCountsByok(event.target.checked)}
        />
        <Field label="Expires" hint="Empty for never" error={issueFor(save.error, 'expires_at')}>
          {(control) => (
            <input
              {...control}
              type="datetime-local"
              className="field"
              value={expires}
              onChange={(event) => setExpires(event.target.value)}
            />
          )}
        </Field>
        {existing === undefined && (
          <Checkbox
            label="Management key"
            hint="Administers the gateway and signs in here; it does not call models."
            checked={isManagement}
            onChange={(event) => setIsManagement(event.target.checked)}
          />
        )}
        {!isManagement && <RateLimitList keyNames={[name, ...(existing === undefined ? [] : [existing.hash])]} />}
        {save.error !== null && <UnsavedPanel error={save.error} onRetry={() => save.mutate()} />}
      </form>
    </Dialog>
  );
}
