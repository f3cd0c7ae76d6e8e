import type { AnyKey } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Cable, KeyRound, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';

import { allKeysQuery, guardrailsQuery, keyAssignmentsQuery } from '../../api/queries.ts';
import { toBaseUrl } from '../../app/base-url.ts';
import { CONFIG_MEANING, KeyKind, KeyState, LimitBar } from '../../features/keys/key-parts.tsx';
import { ListBody, ListScreen, RowMenu } from '../../features/list-screen/list-screen.tsx';
import { formatUsd } from '../../format/money.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import type { Column } from '../../parts/table/table-row.tsx';
import { toLeaving } from '../../parts/table/to-fitting.ts';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { Moment } from '../../parts/text/moment.tsx';
import { useStayingKeys } from './change-key.ts';
import { KeyDialog, useToggleKey } from './key-changes.tsx';
import { KeyForm } from './key-form.tsx';

/** Left out where there is no room for them, the first of these first; the page of the key has them. */
const LEAVING: readonly string[] = ['guardrail', 'source', 'expires', 'kind', 'usage', 'limit'];

type Open =
  | { readonly type: 'create' }
  | { readonly type: 'edit' | 'delete'; readonly key: AnyKey }
  | { readonly type: 'shown'; readonly secret: string };

export function KeysScreen() {
  const navigate = useNavigate();
  const query = useQuery(allKeysQuery);
  const keys = useStayingKeys(query.data);
  const [open, setOpen] = useState<Open | null>(null);
  const columns = useKeyColumns({ onOpen: setOpen, onToggle: useToggleKey() });
  const create = (): void => setOpen({ type: 'create' });
  const connect = (): void => void navigate({ to: '/connect', search: {} });
  return (
    <ListScreen
      title="Keys"
      note="Keys are shown once, when created."
      actions={
        <>
          <Button icon={<Cable size={15} />} onClick={connect}>
            Connect a tool
          </Button>
          <Button look="primary" icon={<Plus size={15} />} onClick={create}>
            New key
          </Button>
        </>
      }
      opened={open !== null && <OpenDialog open={open} onOpen={setOpen} />}
    >
      <ListBody what="keys" query={query} rows={keys} empty={<NoKeys onConnect={connect} onCreate={create} />}>
        {(rows) => (
          <VirtualTable
            label="Keys"
            rows={rows}
            columns={columns}
            idOf={({ hash }) => hash}
            onOpen={({ hash }) => void navigate({ to: '/keys/$hash', params: { hash } })}
          />
        )}
      </ListBody>
    </ListScreen>
  );
}

function NoKeys({ onConnect, onCreate }: { onConnect: () => void; onCreate: () => void }) {
  return (
    <EmptyState icon={<KeyRound size={22} />} title="No keys yet">
      <p>Create one per tool to track spending separately.</p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button onClick={onConnect}>Connect a tool</Button>
        <Button onClick={onCreate}>New key</Button>
      </div>
    </EmptyState>
  );
}

function OpenDialog({ open, onOpen }: { open: Open; onOpen: (open: Open | null) => void }) {
  const close = (): void => onOpen(null);
  switch (open.type) {
    case 'create':
      return (
        <KeyForm onClose={close} onSaved={(secret) => onOpen(secret === null ? null : { type: 'shown', secret })} />
      );
    case 'shown':
      return <NewKeyDialog secret={open.secret} onClose={close} />;
    case 'edit':
    case 'delete':
      return <KeyDialog type={open.type} value={open.key} onClose={close} />;
  }
}

interface KeyActions {
  readonly onOpen: (open: Open) => void;
  readonly onToggle: (key: AnyKey) => void;
}

function useKeyColumns({ onOpen, onToggle }: KeyActions): readonly Column<AnyKey>[] {
  const { data: assignments } = useQuery(keyAssignmentsQuery);
  const { data: guardrails } = useQuery(guardrailsQuery);
  return useMemo(() => {
    const guardrailOf = (hash: string): string | undefined => {
      const id = assignments?.find(({ key_hash: key }) => key === hash)?.guardrail_id;
      return guardrails?.find((guardrail) => guardrail.id === id)?.name;
    };
    return toLeaving(
      [
        ...NAME_COLUMNS,
        ...SPENDING_COLUMNS,
        {
          id: 'guardrail',
          header: 'Guardrail',
          width: 'minmax(90px,1fr)',
          cell: ({ hash }) => guardrailOf(hash) ?? <span className="text-ink-faint">default</span>,
        },
        EXPIRY_COLUMN,
        toActionsColumn({ onOpen, onToggle }),
      ],
      LEAVING,
    );
  }, [assignments, guardrails, onOpen, onToggle]);
}

const NAME_COLUMNS: readonly Column<AnyKey>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(140px,3fr)',
    narrow: { width: 'minmax(90px,3fr)' },
    cell: ({ name, label, source }) => (
      <>
        <span className="font-medium">{name}</span>{' '}
        {source === 'stored' && <code className="font-mono text-xs text-ink-faint">{label}</code>}
      </>
    ),
  },
  {
    id: 'kind',
    header: 'Kind',
    width: '104px',
    cell: ({ management }) => <KeyKind management={management} />,
  },
  {
    id: 'source',
    header: 'Source',
    width: '104px',
    cell: ({ source }) =>
      source === 'config' ? (
        <span title={CONFIG_MEANING}>configuration</span>
      ) : (
        <span className="text-ink-faint">here</span>
      ),
  },
  {
    id: 'state',
    header: 'State',
    width: '86px',
    narrow: { width: '72px' },
    cell: (key) => <KeyState state={key} />,
  },
];

const SPENDING_COLUMNS: readonly Column<AnyKey>[] = [
  { id: 'usage', header: 'Spent', width: '92px', isNumeric: true, cell: ({ usage }) => formatUsd(usage) },
  {
    id: 'month',
    header: 'This month',
    width: '92px',
    narrow: { width: '82px' },
    isNumeric: true,
    cell: (key) => formatUsd(key.usage_monthly),
  },
  {
    id: 'limit',
    header: 'Limit',
    width: 'minmax(200px,1fr)',
    cell: ({ limit, limit_remaining: left, limit_reset: reset }) =>
      limit === null ? (
        <span className="text-ink-faint">none</span>
      ) : (
        <LimitBar limit={limit} left={left} reset={reset} />
      ),
  },
];

const EXPIRY_COLUMN: Column<AnyKey> = {
  id: 'expires',
  header: 'Expires',
  width: '110px',
  cell: ({ expires_at: at }) => (at === null ? <span className="text-ink-faint">never</span> : <Moment at={at} />),
};

const toActionsColumn = ({ onOpen, onToggle }: KeyActions): Column<AnyKey> => ({
  id: 'actions',
  header: <span className="sr-only">Actions</span>,
  width: '44px',
  narrow: { width: '32px' },
  // What the configuration sets can only be changed there.
  cell: (key) =>
    key.source === 'stored' && (
      <RowMenu
        label={`Actions for ${key.name}`}
        items={[
          { label: 'Change…', onSelect: () => onOpen({ type: 'edit', key }) },
          { label: key.disabled ? 'Enable' : 'Disable', onSelect: () => onToggle(key) },
          { label: 'Delete…', isDangerous: true, onSelect: () => onOpen({ type: 'delete', key }) },
        ]}
      />
    ),
});

function NewKeyDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const variables = `export GATEWAY_API_KEY='${secret}'\nexport OPENAI_BASE_URL='${toBaseUrl()}'\n`;
  return (
    <Dialog
      title="The new key"
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-3 text-sm">
        <p>Copy it now. You won’t see it again. If you lose it, create a new one.</p>
        <code data-testid="new-key" className="rounded-lg bg-raised p-3 font-mono text-xs break-all select-all">
          {secret}
        </code>
        <div className="flex flex-wrap gap-2">
          <CopyButton text={secret} label="Copy key" />
          <CopyButton text={variables} label="Copy as environment variables" />
        </div>
      </div>
    </Dialog>
  );
}
