import type { Member } from '@model-gateway/core/wire';
import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { useForm } from 'react-hook-form';

import { callApi } from '../../api/call-api.ts';
import { membersQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { InputField, SelectField } from '../../features/form/fields.tsx';
import { toMemberName } from '../../features/members/member-link.tsx';
import { ConfirmDialog, Dialog, FormActions } from '../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { showToast } from '../../parts/messages/toast-store.ts';
import { membersMessages } from './messages.ts';

interface MemberFormProps {
  /** The member that changes; without, one is added. */
  readonly existing?: Member;
  readonly onClose: () => void;
}

interface MemberValues {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: 'admin' | 'member';
}

const toValues = (member: Member | undefined): MemberValues => ({
  id: member?.id ?? '',
  name: [member?.first_name, member?.last_name].filter(Boolean).join(' '),
  email: member?.email ?? '',
  role: member?.role === 'org:admin' ? 'admin' : 'member',
});

const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: membersQuery.queryKey });

/** Adds a member, or changes one. */
export function MemberForm({ existing, onClose }: MemberFormProps) {
  const t = membersMessages();
  const formId = useId();
  const form = useForm({ defaultValues: toValues(existing) });
  const save = useMutation({
    mutationFn: async ({ id, name, email, role }: MemberValues) => {
      const body = { name: name === '' ? null : name, email, role };
      if (existing === undefined) {
        await callApi('/admin/v1/members', { method: 'POST', body: { ...body, user_id: id } });
      } else {
        await callApi(`/admin/v1/members/${encodeURIComponent(existing.id)}`, { method: 'PATCH', body });
      }
      await refresh();
      const shown = name || email || id;
      showToast({ tone: 'good', title: existing === undefined ? t.form.added(shown) : t.form.saved(shown) });
    },
    onSuccess: onClose,
  });
  const parts = { form, error: save.error };
  return (
    <Dialog
      title={existing === undefined ? t.form.addTitle : t.form.editTitle(toMemberName(existing))}
      onClose={onClose}
      actions={
        <FormActions
          formId={formId}
          submit={existing === undefined ? t.add : t.form.save}
          isBusy={save.isPending}
          onClose={onClose}
        />
      }
    >
      <form
        id={formId}
        onSubmit={(event) => void form.handleSubmit((values) => save.mutate(values))(event)}
        className="flex flex-col gap-4"
      >
        {existing === undefined && (
          <InputField
            {...parts}
            name="id"
            path="user_id"
            label={t.form.id}
            hint={t.form.idHint}
            required
            maxLength={200}
          />
        )}
        <InputField {...parts} name="name" label={t.form.name} maxLength={200} />
        <InputField {...parts} name="email" label={t.form.email} type="email" maxLength={200} />
        <SelectField
          {...parts}
          name="role"
          label={t.form.role}
          options={[
            ['member', t.roles.member],
            ['admin', t.roles.admin],
          ]}
        />
        {save.error !== null && <UnsavedPanel error={save.error} onRetry={() => save.mutate(form.getValues())} />}
      </form>
    </Dialog>
  );
}

/** Asks before a member is removed. */
export function MemberRemoval({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const t = membersMessages().removal;
  const name = toMemberName(member);
  return (
    <ConfirmDialog
      title={t.title(name)}
      action={t.action}
      onClose={onClose}
      onConfirm={async () => {
        await callApi(`/admin/v1/members/${encodeURIComponent(member.id)}`, { method: 'DELETE' });
        await queryClient.invalidateQueries();
        showToast({ tone: 'good', title: t.removed(name) });
      }}
    >
      <p>{t.text}</p>
    </ConfirmDialog>
  );
}
