import type { KnownGroup, Workspace } from '@model-gateway/core/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';

import { membersQuery } from '../../../api/queries.ts';
import { may } from '../../../api/session.ts';
import { toWorkspaceName } from '../../../features/members/groups.ts';
import { MemberLink } from '../../../features/members/member-link.tsx';
import { memberPartMessages } from '../../../features/members/messages.ts';
import { formatCount } from '../../../format/quantity.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Checkbox } from '../../../parts/controls/field.tsx';
import { LabelledSelect } from '../../../parts/controls/labelled.tsx';
import { Select } from '../../../parts/controls/select.tsx';
import { ConfirmDialog } from '../../../parts/dialogs/dialog.tsx';
import { SidePanel } from '../../../parts/dialogs/side-panel.tsx';
import { UnsavedPanel } from '../../../parts/messages/error-panel.tsx';
import { showFailure, showToast, showUndo } from '../../../parts/messages/toast-store.ts';
import { showControls } from '../../../parts/text/show-controls.ts';
import { addMapping, changeMapping, type MappingRole, removeMapping, toMappingRole } from './group-queries.ts';
import { groupsMessages } from './groups-messages.ts';

type Grant = KnownGroup['workspaces'][number];

interface GroupPanelProps {
  readonly group: KnownGroup;
  readonly workspaces: readonly Workspace[];
  readonly onClose: () => void;
}

/** One group: what it gives, which can be changed here for those of a directory, and who is in it. */
export function GroupPanel({ group, workspaces, onClose }: GroupPanelProps) {
  const t = groupsMessages().panel;
  const { display_name: name, source, role, workspaces: given } = group;
  const isConfigured = source === 'sign_in';
  const mayChange = !isConfigured && may('createScimGroupMapping');
  return (
    <SidePanel
      label={t.label(name)}
      title={<h2 className="truncate font-semibold">{showControls(name)}</h2>}
      onClose={onClose}
    >
      <div className="scroll-thin flex flex-1 flex-col gap-6 overflow-y-auto p-4">
        {isConfigured && (
          <section aria-label={t.role} className="flex flex-col gap-1">
            <h3 className="text-sm font-semibold">{t.role}</h3>
            <p className="text-sm">{role === null ? t.noRole : memberPartMessages().roles[role]}</p>
          </section>
        )}
        <section aria-label={t.workspaces} className="flex flex-col gap-3">
          <h3 className="text-sm font-semibold">{t.workspaces}</h3>
          {given.length === 0 ? (
            <p className="text-sm text-ink-faint">{t.none}</p>
          ) : (
            <ul className="flex flex-col text-sm">
              {given.map((grant) => (
                <GrantRow
                  key={grant.workspace_id}
                  grant={grant}
                  group={group}
                  workspace={toWorkspaceName(grant.workspace_id, workspaces)}
                />
              ))}
            </ul>
          )}
          <p className="text-xs text-ink-faint">{isConfigured ? t.byConfig : given.length > 0 && t.about}</p>
          {mayChange && <AddGrant group={group} workspaces={workspaces} />}
        </section>
        <GroupMembers ids={group.member_ids} />
      </div>
    </SidePanel>
  );
}

const ROW = 'flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line/60 py-1 last:border-0';

interface GrantRowProps {
  readonly grant: Grant;
  readonly group: KnownGroup;
  readonly workspace: string;
}

/** What the group gives in one workspace. */
function GrantRow({ grant: { role, mapping_id: id }, group, workspace }: GrantRowProps) {
  const t = groupsMessages();
  const [isRemoving, setIsRemoving] = useState(false);
  const change = useMutation({
    mutationFn: (next: MappingRole) => changeMapping(id ?? '', next),
    onSuccess: () =>
      showUndo({
        title: t.changed(workspace),
        undo: () => changeMapping(id ?? '', toMappingRole(role)),
        undone: t.restored,
      }),
    onError: (error) => showFailure(t.notChanged, error),
  });
  const shown = change.isPending ? change.variables : toMappingRole(role);
  return (
    <li className={ROW}>
      <span className="min-w-0 flex-1 basis-32 break-words">{showControls(workspace)}</span>
      {id === null || !may('updateScimGroupMapping') ? (
        <span className="text-ink-soft">{memberPartMessages().workspaceRoles[role]}</span>
      ) : (
        <>
          <Select
            label={t.panel.roleIn(workspace)}
            value={shown}
            options={toRoleOptions()}
            onChange={(next) => change.mutate(next)}
          />
          <Button
            look="quiet"
            icon={<X size={15} />}
            aria-label={t.panel.remove(workspace)}
            title={t.panel.remove(workspace)}
            onClick={() => setIsRemoving(true)}
          />
        </>
      )}
      {isRemoving && id !== null && (
        <RemoveGrant id={id} group={group.display_name} workspace={workspace} onClose={() => setIsRemoving(false)} />
      )}
    </li>
  );
}

function toRoleOptions(): readonly (readonly [MappingRole, string])[] {
  const { member, administrator } = memberPartMessages().workspaceRoles;
  return [
    ['member', member],
    ['admin', administrator],
  ];
}

interface RemoveGrantProps {
  readonly id: string;
  readonly group: string;
  readonly workspace: string;
  readonly onClose: () => void;
}

function RemoveGrant({ id, group, workspace, onClose }: RemoveGrantProps) {
  const t = groupsMessages().removal;
  const [isKeeping, setIsKeeping] = useState(false);
  return (
    <ConfirmDialog
      title={t.title(group, workspace)}
      action={t.action}
      onClose={onClose}
      onConfirm={async () => {
        await removeMapping(id, isKeeping);
        showToast({ tone: 'good', title: t.done(workspace) });
      }}
    >
      {!isKeeping && <p>{t.text}</p>}
      <Checkbox
        label={t.keep}
        hint={t.keepHint}
        checked={isKeeping}
        onChange={({ target }) => setIsKeeping(target.checked)}
      />
    </ConfirmDialog>
  );
}

interface AddGrantProps {
  readonly group: KnownGroup;
  readonly workspaces: readonly Workspace[];
}

function AddGrant({ group, workspaces }: AddGrantProps) {
  const t = groupsMessages();
  const { panel } = t;
  // The default workspace has every member already.
  const others = workspaces.filter(({ id }) => !id.startsWith('00000000-'));
  const free = others.filter(({ id }) => group.workspaces.every(({ workspace_id: taken }) => taken !== id));
  const [chosen, setChosen] = useState('');
  const [role, setRole] = useState<MappingRole>('member');
  const add = useMutation({
    mutationFn: () => addMapping(group.id, chosen, role),
    onSuccess() {
      showToast({ tone: 'good', title: t.added(toWorkspaceName(chosen, workspaces)) });
      setChosen('');
    },
  });
  if (free.length === 0) {
    return <p className="text-xs text-ink-faint">{others.length === 0 ? panel.noWorkspaces : panel.allMapped}</p>;
  }
  return (
    <form
      className="flex flex-col gap-3 rounded-lg border border-line p-3"
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <LabelledSelect
          label={panel.workspace}
          value={chosen}
          required
          options={[['', panel.choose], ...free.map(({ id, name }) => [id, name] as const)]}
          onChange={setChosen}
        />
        <LabelledSelect
          label={panel.roleLabel}
          value={role}
          options={toRoleOptions()}
          onChange={(next) => setRole(next as MappingRole)}
        />
      </div>
      {add.error !== null && <UnsavedPanel error={add.error} onRetry={() => add.mutate()} />}
      <div className="flex justify-end">
        <Button type="submit" disabled={chosen === ''} isBusy={add.isPending}>
          {panel.add}
        </Button>
      </div>
    </form>
  );
}

const PAGE = 100;

/** Who is in it; a directory may have sent 20,000. */
function GroupMembers({ ids }: { readonly ids: readonly string[] | null }) {
  const t = groupsMessages().panel;
  const { data: members } = useQuery(membersQuery);
  const [count, setCount] = useState(PAGE);
  const title = ids === null ? groupsMessages().columns.members : t.members(formatCount(ids.length));
  const rest = (ids?.length ?? 0) - count;
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h3 className="text-sm font-semibold">{title}</h3>
      {ids === null || ids.length === 0 ? (
        <p className="text-sm text-ink-faint">{ids === null ? t.unknownMembers : t.noMembers}</p>
      ) : (
        <ul className="flex flex-col text-sm">
          {ids.slice(0, count).map((id) => (
            <li key={id} className={ROW}>
              <span className="min-w-0 flex-1 basis-40 break-words">
                <MemberLink id={id} members={members} />
              </span>
              <span className="max-w-full truncate text-ink-faint">
                {members?.find((each) => each.id === id)?.email}
              </span>
            </li>
          ))}
        </ul>
      )}
      {rest > 0 && <Button onClick={() => setCount(count + PAGE)}>{t.more(formatCount(Math.min(rest, PAGE)))}</Button>}
    </section>
  );
}
