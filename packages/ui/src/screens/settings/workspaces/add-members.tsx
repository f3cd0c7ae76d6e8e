import type { Member, WorkspaceRoleEntry } from '@model-gateway/core/wire';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';

import { toMemberName } from '../../../features/members/member-link.tsx';
import { memberPartMessages } from '../../../features/members/messages.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Field } from '../../../parts/controls/field.tsx';
import { LabelledSelect } from '../../../parts/controls/labelled.tsx';
import { MultiSelect } from '../../../parts/controls/multi-select.tsx';
import { UnsavedPanel } from '../../../parts/messages/error-panel.tsx';
import { showUndo } from '../../../parts/messages/toast-store.ts';
import { workspaceMemberMessages } from './member-messages.ts';
import { addWorkspaceMembers, changeWorkspaceRoles, type WorkspaceRole } from './workspace-queries.ts';

interface AddMembersProps {
  readonly id: string;
  readonly present: readonly WorkspaceRoleEntry[];
  readonly everyone: readonly Member[];
}

/** Adds members of the organization to a workspace, with one role. */
export function AddMembers({ id, present, everyone }: AddMembersProps) {
  const t = workspaceMemberMessages();
  const { workspaceRoles } = memberPartMessages();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [role, setRole] = useState<WorkspaceRole>('member');
  const add = useMutation({
    mutationFn: (ids: readonly string[]) => addWorkspaceMembers(id, ids, role),
    onSuccess(added) {
      setChosen([]);
      if (added.length === 0) return;
      const undo = Object.fromEntries(added.map((userId) => [userId, null] as const));
      showUndo({ title: t.saved, undo: () => changeWorkspaceRoles(id, undo), undone: t.restored });
    },
  });
  const here = new Set(present.map(({ user_id: userId }) => userId));
  const others = everyone.filter((member) => !here.has(member.id));
  if (others.length === 0 && chosen.length === 0) {
    return (
      <p className="text-xs text-ink-faint">
        {everyone.length === 0 ? t.add.nobody : t.add.everyone}{' '}
        <Link to="/members" className="text-accent underline">
          {t.openMembers}
        </Link>
      </p>
    );
  }
  return (
    <form
      className="flex max-w-3xl flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen.length > 0) add.mutate(chosen);
      }}
    >
      <Field label={t.add.label} className="min-w-0 flex-1 basis-60">
        {(control) => (
          <MultiSelect
            control={control}
            noun={t.what}
            placeholder={t.add.none}
            options={others.map(toOption)}
            chosen={chosen}
            onChange={setChosen}
          />
        )}
      </Field>
      <LabelledSelect
        label={t.add.role}
        fieldClass="w-36"
        value={role}
        options={(['administrator', 'member', 'viewer'] as const).map((one) => [one, workspaceRoles[one]] as const)}
        onChange={(next) => setRole(next as WorkspaceRole)}
      />
      <Button type="submit" className="ml-auto" disabled={chosen.length === 0} isBusy={add.isPending}>
        {t.add.action}
      </Button>
      {add.error !== null && (
        <div className="basis-full">
          <UnsavedPanel error={add.error} onRetry={() => add.mutate(chosen)} />
        </div>
      )}
    </form>
  );
}

const toOption = (member: Member) => ({
  value: member.id,
  label: toMemberName(member),
  note: member.email,
  words: `${member.id} ${member.email}`,
});
