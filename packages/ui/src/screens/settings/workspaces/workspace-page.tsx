import type { AnyKey, Workspace } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';

import { may } from '../../../api/session.ts';
import { ForecastCard } from '../../../features/forecast/forecast-card.tsx';
import { KeyKind, KeyTrouble } from '../../../features/keys/key-parts.tsx';
import { raiseMessages } from '../../../features/raises/messages.ts';
import { ListedRaiseDialog, ListedRaiseNote, type Raised } from '../../../features/raises/raise.tsx';
import { toUsdColumn } from '../../../format/money.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Loaded } from '../../../parts/messages/loaded.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { BudgetForm } from './budget-form.tsx';
import { DeleteWorkspace } from './delete-workspace.tsx';
import { workspaceMessages } from './messages.ts';
import { OwnKeys } from './own-keys.tsx';
import { WorkspaceForm } from './workspace-form.tsx';
import { WorkspaceMembers } from './workspace-members.tsx';
import { budgetsQuery, isDefaultWorkspace } from './workspace-queries.ts';

interface WorkspacePageProps {
  readonly workspace: Workspace;
  /** Its own; undefined until they are loaded. */
  readonly keys: readonly AnyKey[] | undefined;
}

/** One workspace: what can be set of it, its budgets, its members and its keys. */
export function WorkspacePage({ workspace, keys }: WorkspacePageProps) {
  const t = workspaceMessages();
  const navigate = useNavigate();
  const [isDeleting, setIsDeleting] = useState(false);
  const [isRaising, setIsRaising] = useState(false);
  const raised: Raised = { kind: 'workspace', id: workspace.id, name: workspace.name };
  const budgets = useQuery(budgetsQuery(workspace.id));
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="min-w-0 flex-1 text-base font-semibold break-words">{showControls(workspace.name)}</h2>
        {!isDefaultWorkspace(workspace) && (
          <Button look="danger" icon={<Trash2 size={15} />} onClick={() => setIsDeleting(true)}>
            {t.removal.action}
          </Button>
        )}
      </div>
      <WorkspaceForm workspace={workspace} />
      <section aria-label={t.budgets.title} className="card flex flex-col gap-4 p-4">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <h3 className="flex-1 text-base font-semibold">{t.budgets.title}</h3>
          {may('putBudgetRaise') && (
            <Button onClick={() => setIsRaising(true)}>{raiseMessages().action.workspace}</Button>
          )}
        </div>
        <Loaded what={t.budgets.what} query={budgets} data={budgets.data} isFlush>
          {(loaded) => <BudgetForm id={workspace.id} budgets={loaded} />}
        </Loaded>
        <ListedRaiseNote of={raised} />
        {isRaising && <ListedRaiseDialog of={raised} onClose={() => setIsRaising(false)} />}
      </section>
      <ForecastCard of={`workspace:${workspace.id}`} />
      <OwnKeys workspaceId={workspace.id} />
      <WorkspaceMembers workspace={workspace} />
      <WorkspaceKeys keys={keys} />
      {isDeleting && (
        <DeleteWorkspace
          workspace={workspace}
          keyCount={keys?.length}
          onClose={() => setIsDeleting(false)}
          onGone={() => void navigate({ to: '/settings', search: { section: 'workspaces' } })}
        />
      )}
    </>
  );
}

const SHOWN = 20;

function WorkspaceKeys({ keys }: { keys: readonly AnyKey[] | undefined }) {
  const t = workspaceMessages().keys;
  const shown = keys?.slice(0, SHOWN) ?? [];
  const writeUsd = toUsdColumn(shown.map((key) => key.usage_monthly));
  return (
    <section aria-label={t.title} className="card p-4">
      <h3 className="mb-2 text-base font-semibold">{t.title}</h3>
      {keys === undefined ? (
        <p className="text-sm text-ink-faint">…</p>
      ) : keys.length === 0 ? (
        <p className="text-sm text-ink-faint">{t.none}</p>
      ) : (
        <ul className="text-sm">
          {shown.map((key) => (
            <li
              key={key.hash}
              className="figures flex min-h-9 flex-wrap items-center gap-x-3 border-b border-line/60 last:border-0"
            >
              <Link
                to="/keys/$hash"
                params={{ hash: key.hash }}
                className="min-w-0 flex-1 basis-32 truncate leading-6 font-medium text-accent hover:underline"
              >
                {key.name}
              </Link>
              <KeyTrouble state={key} />
              {key.management && <KeyKind management />}
              <span className="w-24 text-right">{writeUsd(key.usage_monthly)}</span>
            </li>
          ))}
        </ul>
      )}
      {keys !== undefined && keys.length > SHOWN && (
        <p className="mt-2 text-xs text-ink-faint">{t.more(keys.length - SHOWN)}</p>
      )}
    </section>
  );
}
