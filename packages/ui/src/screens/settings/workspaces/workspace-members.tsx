import type { Workspace } from '@model-gateway/core/wire';
import { useMutation, useQuery } from '@tanstack/react-query';

import { membersQuery } from '../../../api/queries.ts';
import { toMemberName } from '../../../features/members/member-link.tsx';
import { Field } from '../../../parts/controls/field.tsx';
import { MultiSelect } from '../../../parts/controls/multi-select.tsx';
import { UnsavedPanel } from '../../../parts/messages/error-panel.tsx';
import { Loaded } from '../../../parts/messages/loaded.tsx';
import { showUndo } from '../../../parts/messages/toast-store.ts';
import { workspaceMessages } from './messages.ts';
import {
  changeWorkspaceMembers,
  isDefaultWorkspace,
  type MemberChange,
  workspaceMembersQuery,
} from './workspace-queries.ts';

/** Who belongs to a workspace. A change is made at once, and can be undone. */
export function WorkspaceMembers({ workspace }: { workspace: Workspace }) {
  const t = workspaceMessages().members;
  const present = useQuery(workspaceMembersQuery(workspace.id));
  const everyone = useQuery(membersQuery);
  const failed =
    [present, everyone].find(({ data: loaded, error }) => loaded === undefined || error !== null) ?? present;
  const data = present.data && everyone.data && { present: present.data, everyone: everyone.data };
  return (
    <section aria-label={t.title} className="card flex flex-col gap-3 p-4">
      <h3 className="text-base font-semibold">{t.title}</h3>
      {isDefaultWorkspace(workspace) ? (
        <p className="text-sm text-ink-soft">{t.everyone}</p>
      ) : (
        <Loaded what={t.what} query={failed} data={data} isFlush>
          {(loaded) => <MemberPicker id={workspace.id} {...loaded} />}
        </Loaded>
      )}
    </section>
  );
}

interface MemberPickerProps {
  readonly id: string;
  readonly present: readonly string[];
  readonly everyone: Parameters<typeof toOption>[0][];
}

function MemberPicker({ id, present, everyone }: MemberPickerProps) {
  const t = workspaceMessages().members;
  const change = useMutation({
    mutationFn: (made: MemberChange) => changeWorkspaceMembers(id, made),
    onSuccess: (_, { added, removed }) =>
      showUndo({
        title: t.saved,
        undo: () => changeWorkspaceMembers(id, { added: removed, removed: added }),
        undone: t.restored,
      }),
  });
  // What is under way is shown as if it had been done.
  const { added, removed } = change.isPending ? change.variables : { added: [], removed: [] };
  const shown = [...new Set([...present.filter((one) => !removed.includes(one)), ...added])];
  return (
    <>
      <Field label={t.label} hint={t.hint}>
        {(control) => (
          <MultiSelect
            control={control}
            noun={t.what}
            placeholder={t.none}
            options={everyone.map(toOption)}
            chosen={shown}
            onChange={(ids) => {
              if (change.isPending) return;
              change.mutate({
                added: ids.filter((one) => !present.includes(one)),
                removed: present.filter((one) => !ids.includes(one)),
              });
            }}
          />
        )}
      </Field>
      {change.error !== null && <UnsavedPanel error={change.error} onRetry={() => change.mutate(change.variables)} />}
    </>
  );
}

const toOption = (member: Parameters<typeof toMemberName>[0]) => ({
  value: member.id,
  label: toMemberName(member),
  note: member.email,
  words: `${member.id} ${member.email}`,
});
