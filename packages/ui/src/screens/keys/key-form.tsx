import type { AnyKey } from '@model-gateway/core/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';

import { callApi } from '../../api/call-api.ts';
import { keysQuery, membersQuery, workspacesQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { actsAsOwner, getSession } from '../../api/session.ts';
import type { ResetInterval } from '../../api/types.ts';
import { toChanged } from '../../features/form/changes.ts';
import { CheckField, InputField, SelectField, toResetOptions } from '../../features/form/fields.tsx';
import { RateLimitList } from '../../features/limits/rate-limits.tsx';
import { toMemberName } from '../../features/members/member-link.tsx';
import { fromLocalMoment, LAST_LOCAL_MOMENT, toLocalMoment } from '../../format/time.ts';
import { Dialog, FormActions } from '../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { changeKey } from './change-key.ts';
import { keysMessages } from './messages.ts';

interface KeyFormProps {
  readonly existing?: AnyKey;
  readonly onClose: () => void;
  /** Called with the new key, which is never shown again; with null after a change. */
  readonly onSaved: (secret: string | null) => void;
}

interface KeyValues {
  readonly name: string;
  readonly limit: string;
  readonly reset: ResetInterval | '';
  readonly countsByok: boolean;
  /** As the field of a date has it, in minutes. */
  readonly expires: string;
  /** Whose key it is; empty for nobody's. */
  readonly member: string;
  /** Id of its workspace; empty for the default one. */
  readonly workspace: string;
  readonly isManagement: boolean;
}

/** The member who has signed in, as the choice of a list; none for the operator. */
function readOwn(): readonly [id: string, name: string] | undefined {
  const session = getSession();
  return session.type === 'none' || session.userId === undefined ? undefined : [session.userId, session.name];
}

const toValues = (key: AnyKey | undefined, ownId = ''): KeyValues => ({
  name: key?.name ?? '',
  limit: key?.limit?.toString() ?? '',
  reset: key?.limit_reset ?? '',
  countsByok: key?.include_byok_in_limit ?? false,
  expires: toLocalMoment(key?.expires_at ?? null),
  member: key === undefined ? ownId : (key.creator_user_id ?? ''),
  workspace: '',
  isManagement: false,
});

const toBody = ({ name, limit, reset, countsByok }: KeyValues) => ({
  name,
  limit: limit === '' ? null : Number(limit),
  limit_reset: reset === '' ? null : reset,
  include_byok_in_limit: countsByok,
});

export function KeyForm({ existing, onClose, onSaved }: KeyFormProps) {
  const t = keysMessages();
  const formId = useId();
  const { data: members = [] } = useQuery(membersQuery);
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  // The list is loaded again meanwhile, and what others have changed is not to be changed back.
  const [own] = useState(readOwn);
  const [opened] = useState(() => toValues(existing, own?.[0]));
  const form = useForm({ defaultValues: opened });
  const [name, isManagement] = useWatch({ control: form.control, name: ['name', 'isManagement'] });
  const save = useMutation({
    mutationFn: async (values: KeyValues) => {
      const { expires, member, workspace, isManagement: manages } = values;
      if (existing !== undefined) {
        // The field has minutes, and the gateway thousandths: what is not changed stays as it is.
        const end = expires === opened.expires ? {} : { expires_at: fromLocalMoment(expires) };
        const change = { ...toChanged(toBody(values), toBody(opened)), ...end };
        if (Object.keys(change).length > 0) await changeKey(existing, change, t.changes.changed(values.name));
        return null;
      }
      const { key } = await callApi<{ key: string }>('/api/v1/keys', {
        method: 'POST',
        body: {
          ...toBody(values),
          expires_at: fromLocalMoment(expires),
          ...(members.length > 0 && { creator_user_id: member === '' ? null : member }),
          ...(workspace !== '' && { workspace_id: workspace }),
          ...(manages && { management: true }),
        },
      });
      await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
      return key;
    },
    onSuccess: onSaved,
  });
  const submit = form.handleSubmit((values) => save.mutate(values));
  const parts = { form, error: save.error };
  return (
    <Dialog
      title={existing === undefined ? t.form.newTitle : t.form.changeTitle(existing.name)}
      onClose={onClose}
      actions={
        <FormActions
          formId={formId}
          submit={existing === undefined ? t.form.create : t.form.save}
          isBusy={save.isPending}
          onClose={onClose}
        />
      }
    >
      <form id={formId} onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <InputField {...parts} name="name" label={t.form.name} required maxLength={200} />
        <div className="grid grid-cols-2 gap-3">
          <InputField
            {...parts}
            name="limit"
            label={t.form.limit}
            hint={t.form.noLimit}
            type="number"
            min={0}
            step="any"
          />
          <SelectField {...parts} name="reset" path="limit_reset" label={t.form.resets} options={toResetOptions()} />
        </div>
        <CheckField form={form} name="countsByok" label={t.form.byok} />
        <InputField
          {...parts}
          name="expires"
          path="expires_at"
          label={t.form.expires}
          hint={t.form.neverExpires}
          type="datetime-local"
          max={LAST_LOCAL_MOMENT}
        />
        {existing === undefined && members.length > 0 && (
          <SelectField
            {...parts}
            name="member"
            path="creator_user_id"
            label={t.form.member}
            hint={t.form.memberHint}
            options={[
              ['', t.form.noMember],
              ...(own === undefined || members.some(({ id }) => id === own[0]) ? [] : [own]),
              ...members.map((one) => [one.id, toMemberName(one)] as const),
            ]}
          />
        )}
        {existing === undefined && workspaces.length > 1 && (
          <SelectField
            {...parts}
            name="workspace"
            path="workspace_id"
            label={t.form.workspace}
            options={workspaces.map(({ id, name: called }, at) => [at === 0 ? '' : id, called] as const)}
          />
        )}
        {existing === undefined && actsAsOwner() && (
          <CheckField form={form} name="isManagement" label={t.form.management} hint={t.form.managementHint} />
        )}
        {!isManagement && <RateLimitList keyNames={[name, ...(existing === undefined ? [] : [existing.hash])]} />}
        {save.error !== null && <UnsavedPanel error={save.error} onRetry={() => save.mutate(form.getValues())} />}
      </form>
    </Dialog>
  );
}
