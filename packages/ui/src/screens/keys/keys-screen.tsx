import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Cable, KeyRound, MoreHorizontal, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';

import { guardrailsQuery, keyAssignmentsQuery, keysQuery } from '../../api/queries.ts';
import type { Key } from '../../api/types.ts';
import { formatUsd } from '../../format/money.ts';
import { formatFull, formatRelative } from '../../format/time.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { Menu } from '../../parts/controls/menu.tsx';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { EmptyState, Loading, ScreenHeader } from '../../parts/messages/states.tsx';
import { showToast } from '../../parts/messages/toast-store.ts';
import type { Column } from '../../parts/table/table-row.tsx';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { changeKey, deleteKey, useStayingKeys } from './change-key.ts';
import { KeyForm } from './key-form.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';

type Open =
  | { readonly type: 'create' }
  | { readonly type: 'edit' | 'delete'; readonly key: Key }
  | { readonly type: 'shown'; readonly secret: string };

export function KeysScreen() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(keysQuery);
  const keys = useStayingKeys(data);
  const [open, setOpen] = useState<Open | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey: keysQuery.queryKey });
  const toggle = useMutation({
    mutationFn: (key: Key) =>
      changeKey(
        key,
        { disabled: !key.disabled },
        key.disabled ? `“${key.name}” is enabled` : `“${key.name}” is disabled; its calls are refused`,
      ),
    onError: (failure) => showToast({ tone: 'bad', title: 'The key was not changed', detail: failure.message }),
  });
  const columns = useKeyColumns({ onOpen: setOpen, onToggle: toggle.mutate });
  const close = (): void => setOpen(null);
  const connect = (): void => void navigate({ to: '/connect', search: {} });
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="border-b border-line px-4 py-3">
        <ScreenHeader title="Keys" note="A key is shown once, when it is made; the gateway keeps its hash alone.">
          <Button icon={<Cable size={15} aria-hidden />} onClick={connect}>
            Connect a tool
          </Button>
          <Button look="primary" icon={<Plus size={15} aria-hidden />} onClick={() => setOpen({ type: 'create' })}>
            New key
          </Button>
        </ScreenHeader>
      </div>
      {error !== null ? (
        <div className="p-4">
          <ErrorPanel error={error} title="The keys could not be loaded" onRetry={() => void refetch()} />
        </div>
      ) : keys === undefined ? (
        <Loading what="keys" />
      ) : keys.length === 0 ? (
        <EmptyState icon={<KeyRound size={22} aria-hidden />} title="There is no key yet">
          <p>
            Keys that come from configuration or the demo are not listed. Make one for each tool, so that what each
            spends can be told apart.
          </p>
          <div className="flex flex-wrap justify-center gap-2">
            <Button onClick={connect}>Connect a tool</Button>
            <Button onClick={() => setOpen({ type: 'create' })}>New key</Button>
          </div>
        </EmptyState>
      ) : (
        <VirtualTable
          label="Keys"
          rows={keys}
          columns={columns}
          idOf={({ hash }) => hash}
          onOpen={(key) => setOpen({ type: 'edit', key })}
        />
      )}
      {open?.type === 'create' && (
        <KeyForm
          onClose={close}
          onSaved={async (secret) => {
            await refresh();
            setOpen(secret === null ? null : { type: 'shown', secret });
          }}
        />
      )}
      {open?.type === 'edit' && (
        <KeyForm
          existing={open.key}
          onClose={close}
          onSaved={async () => {
            await refresh();
            close();
          }}
        />
      )}
      {open?.type === 'shown' && <NewKeyDialog secret={open.secret} onClose={close} />}
      {open?.type === 'delete' && (
        <ConfirmDialog
          title={`Delete the key “${open.key.name}”?`}
          action="Delete key"
          onClose={close}
          onConfirm={() => deleteKey(open.key)}
        >
          <p>
            Calls with it are refused from now on. For some seconds that can be undone. To stop it for a while, disable
            it instead.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

function useKeyColumns({ onOpen, onToggle }: { onOpen: (open: Open) => void; onToggle: (key: Key) => void }) {
  const { data: assignments } = useQuery(keyAssignmentsQuery);
  const { data: guardrails } = useQuery(guardrailsQuery);
  return useMemo((): readonly Column<Key>[] => {
    const guardrailOf = (hash: string): string | undefined => {
      const id = assignments?.find(({ key_hash: key }) => key === hash)?.guardrail_id;
      return guardrails?.find((guardrail) => guardrail.id === id)?.name;
    };
    return [
      {
        id: 'name',
        header: 'Name',
        width: 'minmax(160px,2fr)',
        cell: ({ name, label }) => (
          <>
            <span className="font-medium">{name}</span>{' '}
            <code className="font-mono text-xs text-ink-faint">{label}</code>
          </>
        ),
      },
      {
        id: 'kind',
        header: 'Kind',
        width: '110px',
        cell: ({ management }) => (
          <Badge tone={management ? 'accent' : 'neutral'}>{management ? 'management' : 'API'}</Badge>
        ),
      },
      { id: 'state', header: 'State', width: '86px', cell: (key) => <KeyState state={key} /> },
      {
        id: 'limit',
        header: 'Limit',
        width: 'minmax(220px,1fr)',
        cell: ({ limit, limit_remaining: left, limit_reset: reset }) =>
          limit === null ? (
            <span className="text-ink-faint">none</span>
          ) : (
            <LimitBar limit={limit} left={left} reset={reset} />
          ),
      },
      { id: 'usage', header: 'Spent', width: '104px', isNumeric: true, cell: ({ usage }) => formatUsd(usage) },
      {
        id: 'month',
        header: 'This month',
        width: '104px',
        isNumeric: true,
        cell: (key) => formatUsd(key.usage_monthly),
      },
      {
        id: 'guardrail',
        header: 'Guardrail',
        width: 'minmax(90px,1fr)',
        cell: ({ hash }) => guardrailOf(hash) ?? <span className="text-ink-faint">default</span>,
      },
      {
        id: 'expires',
        header: 'Expires',
        width: '110px',
        cell: ({ expires_at: at }) =>
          at === null ? (
            <span className="text-ink-faint">never</span>
          ) : (
            <time dateTime={at} title={formatFull(at)}>
              {formatRelative(at)}
            </time>
          ),
      },
      {
        id: 'actions',
        header: <span className="sr-only">Actions</span>,
        width: '44px',
        cell: (key) => (
          <span onClick={(event) => event.stopPropagation()}>
            <Menu
              trigger={
                <Button
                  look="quiet"
                  aria-label={`Actions for ${key.name}`}
                  icon={<MoreHorizontal size={16} aria-hidden />}
                  className="px-1.5"
                />
              }
              items={[
                { label: 'Change…', onSelect: () => onOpen({ type: 'edit', key }) },
                { label: key.disabled ? 'Enable' : 'Disable', onSelect: () => onToggle(key) },
                { label: 'Delete…', isDangerous: true, onSelect: () => onOpen({ type: 'delete', key }) },
              ]}
            />
          </span>
        ),
      },
    ];
  }, [assignments, guardrails, onOpen, onToggle]);
}

function KeyState({ state }: { state: Key }) {
  if (state.disabled) return <Badge tone="caution">disabled</Badge>;
  const isExpired = state.expires_at !== null && Date.parse(state.expires_at) <= Date.now();
  return isExpired ? <Badge tone="bad">expired</Badge> : <Badge tone="good">active</Badge>;
}

function LimitBar({ limit, left, reset }: { limit: number; left: number | null; reset: string | null }) {
  const spent = limit - (left ?? limit);
  const share = limit === 0 ? 100 : Math.min(100, Math.max(0, (spent / limit) * 100));
  return (
    <span
      className="figures flex items-center gap-2 text-xs"
      title={`${formatUsd(spent)} of ${formatUsd(limit)}${reset === null ? '' : `, ${reset}`}`}
    >
      <span aria-hidden="true" className="h-1.5 w-14 overflow-hidden rounded-full bg-raised">
        <span className={`block h-full ${share >= 90 ? 'bg-bad' : 'bg-accent'}`} style={{ width: `${share}%` }} />
      </span>
      {formatUsd(spent)} / {formatUsd(limit)}
    </span>
  );
}
