import type { Member } from '@model-gateway/core/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';

import { callApi } from '../../api/call-api.ts';
import { membersQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { may, type MemberRole } from '../../api/session.ts';
import { toChanged, toReversal } from '../../features/form/changes.ts';
import { InputField, SelectField } from '../../features/form/fields.tsx';
import { groupsQuery } from '../../features/members/groups.ts';
import { roleOf, toMemberName } from '../../features/members/member-link.tsx';
import { memberPartMessages } from '../../features/members/messages.ts';
import { Button } from '../../parts/controls/button.tsx';
import { ConfirmDialog, Dialog, FormActions } from '../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { showToast, showUndo } from '../../parts/messages/toast-store.ts';
import { partMessages } from '../../parts/part-messages.ts';
import { membersMessages } from './messages.ts';
import { changesOwners, findOwnerLock, findRoleSource } from './role-rules.ts';

interface MemberValues {
  readonly user_id: string;
  readonly name: string;
  readonly email: string;
  readonly role: MemberRole;
}

const toValues = (member: Member | undefined): MemberValues => ({
  user_id: member?.id ?? '',
  name: [member?.first_name, member?.last_name].filter(Boolean).join(' '),
  email: member?.email ?? '',
  role: member === undefined ? 'developer' : roleOf(member),
});

/** Without an address there is nothing to send: the gateway takes addresses alone. */
const toBody = ({ name, email, role }: MemberValues) => ({
  name: name === '' ? null : name,
  ...(email !== '' && { email }),
  organization_role: role,
});

/** In place of a dialog about an owner whom only owners change. */
function OwnerLocked({ title, text, onClose }: { title: string; text: string; onClose: () => void }) {
  return (
    <Dialog title={title} onClose={onClose} actions={<Button onClick={onClose}>{partMessages().actions.close}</Button>}>
      <p className="text-sm">{text}</p>
    </Dialog>
  );
}

const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: membersQuery.queryKey });

const patchMember = async (id: string, body: object): Promise<Member> => {
  const path = `/admin/v1/members/${encodeURIComponent(id)}`;
  const { data } = await callApi<{ data: Member }>(path, { method: 'PATCH', body });
  await refresh();
  return data;
};

interface MemberFormProps {
  readonly existing: Member | undefined;
  readonly onClose: () => void;
}

/** The dialog that adds a member, or changes one. */
export function MemberForm({ existing, onClose }: MemberFormProps) {
  const t = membersMessages();
  const { data: members } = useQuery(membersQuery);
  const lock = findOwnerLock(existing, members);
  if (existing === undefined || lock !== 'ownersOnly')
    return <MemberFields existing={existing} isLastOwner={lock === 'lastOwner'} onClose={onClose} />;
  const name = toMemberName(existing);
  return <OwnerLocked title={t.form.editTitle(name)} text={t.owner.ownersOnly(name)} onClose={onClose} />;
}

/** What is told below the role: what it may do, and what else decides it. */
function RoleHint({ existing, role }: { readonly existing: Member | undefined; readonly role: MemberRole }) {
  const t = membersMessages().form;
  const { data: groups } = useQuery({ ...groupsQuery, enabled: may('listGroups') });
  const source = findRoleSource(existing, groups);
  return (
    <>
      {memberPartMessages().roleHints[role]}
      {source !== null && <span className="mt-1 block">{source === 'directory' ? t.byDirectory : t.bySignIn}</span>}
    </>
  );
}

function MemberFields({ existing, isLastOwner, onClose }: MemberFormProps & { readonly isLastOwner: boolean }) {
  const t = membersMessages();
  const formId = useId();
  // The list is loaded again meanwhile, and what others have changed is not to be changed back.
  const [opened] = useState(() => toValues(existing));
  const form = useForm({ defaultValues: opened });
  const role = useWatch({ control: form.control, name: 'role' });
  const save = useMutation({
    mutationFn: async (values: MemberValues) => {
      if (existing !== undefined) {
        const [after, before] = [toBody(values), toBody(opened)];
        const change = toChanged(after, before);
        if (Object.keys(change).length === 0) return;
        const saved = await patchMember(existing.id, change);
        showUndo({
          title: t.saved(toMemberName(saved)),
          undo: () => patchMember(existing.id, toReversal(change, before)),
          undone: t.restored(toMemberName(existing)),
        });
        return;
      }
      const body = { user_id: values.user_id, ...toBody(values) };
      const { data } = await callApi<{ data: Member }>('/admin/v1/members', { method: 'POST', body });
      await refresh();
      showToast({ tone: 'good', title: t.added(toMemberName(data)) });
    },
    onSuccess: onClose,
  });
  const submit = form.handleSubmit((values) => save.mutate(values));
  const parts = { form, error: save.error };
  return (
    <Dialog
      title={existing === undefined ? t.form.addTitle : t.form.editTitle(toMemberName(existing))}
      onClose={onClose}
      actions={
        <FormActions
          formId={formId}
          submit={existing === undefined ? t.form.add : t.form.save}
          isBusy={save.isPending}
          onClose={onClose}
        />
      }
    >
      <form id={formId} onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        {existing === undefined && (
          <InputField {...parts} name="user_id" label={t.form.id} hint={t.form.idHint} required maxLength={200} />
        )}
        <InputField {...parts} name="name" label={t.form.name} maxLength={400} />
        <InputField
          {...parts}
          name="email"
          label={t.form.email}
          type="email"
          maxLength={320}
          required={existing !== undefined && existing.email !== ''}
        />
        <SelectField
          {...parts}
          name="role"
          label={t.form.role}
          path="organization_role"
          disabled={isLastOwner}
          hint={isLastOwner ? t.owner.lastOwner : <RoleHint existing={existing} role={role} />}
          options={toRoleOptions()}
        />
        {save.error !== null && <UnsavedPanel error={save.error} onRetry={() => void submit()} />}
      </form>
    </Dialog>
  );
}

/** Only owners make owners. */
function toRoleOptions() {
  const { roles } = memberPartMessages();
  const isOwner = changesOwners();
  return (['owner', 'administrator', 'billing', 'developer', 'viewer'] as const)
    .filter((role) => isOwner || role !== 'owner')
    .map((role) => [role, roles[role]] as const);
}

interface RemoveMemberProps {
  readonly member: Member;
  readonly onClose: () => void;
  /** Called once the member is gone. */
  readonly onGone?: () => void;
}

/** Asks before a member is removed. */
export function RemoveMember({ member, onClose, onGone }: RemoveMemberProps) {
  const t = membersMessages();
  const { data: members } = useQuery(membersQuery);
  const name = toMemberName(member);
  const lock = findOwnerLock(member, members);
  if (lock !== null) {
    const text = lock === 'lastOwner' ? t.owner.lastOwnerStays(name) : t.owner.ownersOnly(name);
    return <OwnerLocked title={t.removal.title(name)} text={text} onClose={onClose} />;
  }
  const remove = async (): Promise<void> => {
    await callApi(`/admin/v1/members/${encodeURIComponent(member.id)}`, { method: 'DELETE' });
    onGone?.();
    // Their keys and their assignment have changed with them.
    await queryClient.invalidateQueries();
    showToast({ tone: 'good', title: t.removed(name) });
  };
  return (
    <ConfirmDialog title={t.removal.title(name)} action={t.removal.action} onClose={onClose} onConfirm={remove}>
      <p>{t.removal.text}</p>
    </ConfirmDialog>
  );
}
