import type { AnyKey, Workspace } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ArrowLeft, Plus } from 'lucide-react';
import { useState } from 'react';

import { allKeysQuery, workspacesQuery } from '../../../api/queries.ts';
import { RowMenu } from '../../../features/list-screen/list-screen.tsx';
import { formatUsd } from '../../../format/money.ts';
import { formatCount } from '../../../format/quantity.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Loaded } from '../../../parts/messages/loaded.tsx';
import { DeleteWorkspace } from './delete-workspace.tsx';
import { workspaceMessages } from './messages.ts';
import { NewWorkspace } from './new-workspace.tsx';
import { WorkspacePage } from './workspace-page.tsx';
import { budgetsQuery, INTERVALS, isDefaultWorkspace } from './workspace-queries.ts';

/** All workspaces, or one of them, which is part of the address. */
export function WorkspacesSection({ id }: { id: string | undefined }) {
  const t = workspaceMessages();
  const query = useQuery(workspacesQuery);
  const keys = useQuery(allKeysQuery);
  return (
    <Loaded what={t.what} failure={t.notLoaded} query={query} data={query.data} isFlush>
      {(workspaces) => {
        if (id === undefined) return <WorkspaceList workspaces={workspaces} keys={keys.data} />;
        const opened = workspaces.find((workspace) => workspace.id === id);
        return (
          <>
            <Link
              to="/settings"
              search={{ section: 'workspaces' }}
              className="flex min-h-6 w-fit items-center gap-1 text-sm text-accent hover:underline"
            >
              <ArrowLeft size={14} /> {t.back}
            </Link>
            {opened === undefined ? (
              <p className="text-sm text-ink-soft">{t.gone}</p>
            ) : (
              <WorkspacePage key={opened.id} workspace={opened} keys={keysOf(opened, keys.data)} />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

const keysOf = ({ id }: Workspace, keys: readonly AnyKey[] | undefined): readonly AnyKey[] | undefined =>
  keys?.filter(({ workspace_id: of }) => of === id);

interface WorkspaceListProps {
  readonly workspaces: readonly Workspace[];
  /** Of all workspaces; undefined until they are loaded. */
  readonly keys: readonly AnyKey[] | undefined;
}

function WorkspaceList({ workspaces, keys }: WorkspaceListProps) {
  const t = workspaceMessages();
  const navigate = useNavigate();
  const [isAdding, setIsAdding] = useState(false);
  const [going, setGoing] = useState<Workspace | null>(null);
  const open = (id: string): void =>
    void navigate({ to: '/settings', search: { section: 'workspaces', workspace: id } });
  return (
    <section aria-label={t.title} className="card flex flex-col gap-3 p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="flex-1 text-base font-semibold">{t.title}</h2>
        <Button icon={<Plus size={15} />} onClick={() => setIsAdding(true)}>
          {t.add}
        </Button>
      </div>
      <p className="max-w-prose text-sm text-ink-soft">{t.about}</p>
      <div className="scroll-thin relative overflow-x-auto">
        <table className="figures w-full text-sm">
          <thead>
            <tr className="text-left text-xs text-ink-faint">
              <th scope="col" className="py-1.5 pr-4 font-medium">
                {t.columns.name}
              </th>
              <th scope="col" className="hidden py-1.5 pr-4 font-medium sm:table-cell">
                {t.columns.slug}
              </th>
              {(['keys', 'month'] as const).map((name) => (
                <th key={name} scope="col" className="py-1.5 pr-4 text-right font-medium whitespace-nowrap">
                  {t.columns[name]}
                </th>
              ))}
              <th scope="col" className="py-1.5 pr-4 font-medium">
                {t.columns.budgets}
              </th>
              <th scope="col" className="w-8">
                <span className="sr-only">{t.columns.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {workspaces.map((workspace) => (
              <WorkspaceRow
                key={workspace.id}
                workspace={workspace}
                keys={keysOf(workspace, keys)}
                onEdit={() => open(workspace.id)}
                onDelete={() => setGoing(workspace)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {isAdding && (
        <NewWorkspace
          onClose={() => setIsAdding(false)}
          onCreated={({ id }) => {
            setIsAdding(false);
            open(id);
          }}
        />
      )}
      {going !== null && (
        <DeleteWorkspace workspace={going} keyCount={keysOf(going, keys)?.length} onClose={() => setGoing(null)} />
      )}
    </section>
  );
}

interface WorkspaceRowProps {
  readonly workspace: Workspace;
  readonly keys: readonly AnyKey[] | undefined;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

function WorkspaceRow({ workspace, keys, onEdit, onDelete }: WorkspaceRowProps) {
  const t = workspaceMessages();
  const { id, name, slug } = workspace;
  return (
    <tr className="h-9 border-t border-line/60">
      <td className="max-w-48 truncate pr-4" title={name}>
        <Link
          to="/settings"
          search={{ section: 'workspaces', workspace: id }}
          className="font-medium text-accent hover:underline"
        >
          {name}
        </Link>
      </td>
      <td className="hidden max-w-40 truncate pr-4 font-mono text-xs text-ink-soft sm:table-cell" title={slug}>
        {slug}
      </td>
      <td className="pr-4 text-right">{keys === undefined ? t.none : formatCount(keys.length)}</td>
      <td className="pr-4 text-right">{toMonthSpend(keys)}</td>
      <td className="py-1.5 pr-4 text-ink-soft">
        <BudgetWords id={id} />
      </td>
      <td className="text-right">
        <RowMenu
          label={t.actionsFor(name)}
          items={[
            { label: t.edit, onSelect: onEdit },
            ...(isDefaultWorkspace(workspace) ? [] : [{ label: t.delete, isDangerous: true, onSelect: onDelete }]),
          ]}
        />
      </td>
    </tr>
  );
}

/** What its keys have spent this month; a dash until they are known. */
const toMonthSpend = (keys: readonly AnyKey[] | undefined): string =>
  keys === undefined ? workspaceMessages().none : formatUsd(keys.reduce((sum, { usage_monthly: usd }) => sum + usd, 0));

function BudgetWords({ id }: { id: string }) {
  const t = workspaceMessages();
  const { data: budgets } = useQuery(budgetsQuery(id));
  if (budgets === undefined) return null;
  const words = INTERVALS.flatMap((interval) => {
    const limit = budgets[interval];
    return limit === null ? [] : [t.budget[interval](formatUsd(limit))];
  });
  return words.length === 0 ? <span className="text-ink-faint">{t.none}</span> : words.join(', ');
}
