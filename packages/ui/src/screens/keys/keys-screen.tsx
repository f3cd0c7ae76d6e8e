import type { AnyKey } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Cable, KeyRound, Plus } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';

import { allKeysQuery, membersQuery } from '../../api/queries.ts';
import { may } from '../../api/session.ts';
import { toBaseUrl } from '../../app/base-url.ts';
import { useShortcut } from '../../app/shortcuts.ts';
import { useTask } from '../../app/tasks.ts';
import { toKeyEnd } from '../../features/keys/key-parts.tsx';
import { ListBody, ListScreen, SearchField, useSearchChange } from '../../features/list-screen/list-screen.tsx';
import { listMessages } from '../../features/list-screen/messages.ts';
import { sortRows } from '../../features/list-screen/sort-rows.ts';
import { toMemberName } from '../../features/members/member-link.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import type { TableSort } from '../../parts/table/table-row.tsx';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { useStayingKeys } from './change-key.ts';
import { KeyDialog, useToggleKey } from './key-changes.tsx';
import { type OpenKeyDialog, SORT_VALUES, toKeyColumns } from './key-columns.tsx';
import { KeyForm } from './key-form.tsx';
import { useKeyGuardrails } from './key-guardrails.ts';
import { keysMessages } from './messages.ts';

const FIRST_SORT: TableSort = { by: 'month', order: 'desc' };

export function KeysScreen() {
  const t = keysMessages();
  const navigate = useNavigate();
  const query = useQuery(allKeysQuery);
  const keys = useStayingKeys(query.data);
  const [open, setOpen] = useState<OpenKeyDialog | null>(null);
  const { q: text } = useSearch({ from: '/keys' });
  const change = useSearchChange<{ q: string }>('/keys');
  const setText = (q: string | undefined): void => change({ q });
  const [sort, setSort] = useState<TableSort>(FIRST_SORT);
  const search = useRef<HTMLInputElement>(null);
  useShortcut({ keys: '/', label: t.search.shortcut, group: listMessages().thisScreen }, () => search.current?.focus());
  const guardrailsOf = useKeyGuardrails();
  const wordsOf = useKeyWords(guardrailsOf);
  const toggle = useToggleKey();
  const columns = useMemo(
    () => toKeyColumns({ keys: keys ?? [], guardrailsOf, onOpen: setOpen, onToggle: toggle }),
    [keys, guardrailsOf, toggle],
  );
  const shown = useMemo(() => {
    const wanted = text?.trim().toLowerCase() ?? '';
    const found = wanted === '' ? keys : keys?.filter((key) => wordsOf(key).includes(wanted));
    return found && sortRows(found, sort, SORT_VALUES);
  }, [keys, text, sort, wordsOf]);
  const create = (): void => setOpen({ type: 'create' });
  useTask('create-key', create);
  const connect = (): void => void navigate({ to: '/connect', search: {} });
  return (
    <ListScreen
      title={t.title}
      actions={
        <>
          {may('createKey') && (
            <>
              <Button icon={<Cable size={15} />} onClick={connect}>
                {t.connect}
              </Button>
              <Button look="primary" icon={<Plus size={15} />} onClick={create}>
                {t.newKey}
              </Button>
            </>
          )}
        </>
      }
      filters={
        keys !== undefined &&
        keys.length > 0 && (
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <SearchField
              ref={search}
              label={t.search.label}
              placeholder={t.search.placeholder}
              value={text}
              onChange={setText}
            />
            <p className="text-xs text-ink-faint max-sm:hidden">{t.utc}</p>
          </div>
        )
      }
      opened={open !== null && <OpenDialog open={open} onOpen={setOpen} />}
    >
      <ListBody
        what={t.what}
        query={query}
        rows={shown}
        empty={
          keys?.length === 0 ? (
            <NoKeys onConnect={connect} onCreate={create} />
          ) : (
            <EmptyState title={t.noMatch.title}>
              <Button onClick={() => setText(undefined)}>{t.noMatch.clear}</Button>
            </EmptyState>
          )
        }
      >
        {(rows) => (
          <VirtualTable
            label={t.title}
            rows={rows}
            columns={columns}
            idOf={({ hash }) => hash}
            onOpen={({ hash }) => void navigate({ to: '/keys/$hash', params: { hash } })}
            sort={sort}
            onSort={setSort}
          />
        )}
      </ListBody>
    </ListScreen>
  );
}

/** All that a key is found by, in small letters. */
function useKeyWords(guardrailsOf: ReturnType<typeof useKeyGuardrails>): (key: AnyKey) => string {
  const { data: members } = useQuery(membersQuery);
  return useMemo(() => {
    const names = new Map(members?.map((member) => [member.id, `${toMemberName(member)} ${member.email}`]));
    return (key) => {
      const { name, hash, creator_user_id: member } = key;
      const guardrails = guardrailsOf(key).map((guardrail) => guardrail.name);
      const owner = member === null ? '' : `${member} ${names.get(member) ?? ''}`;
      return [name, key.label, toKeyEnd(key), hash, owner, ...guardrails].join('\n').toLowerCase();
    };
  }, [members, guardrailsOf]);
}

function NoKeys({ onConnect, onCreate }: { onConnect: () => void; onCreate: () => void }) {
  const t = keysMessages();
  return (
    <EmptyState icon={<KeyRound size={22} />} title={t.empty.title}>
      <p>{t.empty.text}</p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button onClick={onConnect}>{t.connect}</Button>
        <Button onClick={onCreate}>{t.newKey}</Button>
      </div>
    </EmptyState>
  );
}

function OpenDialog({ open, onOpen }: { open: OpenKeyDialog; onOpen: (open: OpenKeyDialog | null) => void }) {
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

function NewKeyDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const t = keysMessages().shown;
  const variables = `export GATEWAY_API_KEY='${secret}'\nexport OPENAI_BASE_URL='${toBaseUrl()}'\n`;
  return (
    <Dialog
      title={t.title}
      onClose={onClose}
      staysOpen
      actions={
        <Button look="primary" onClick={onClose}>
          {t.done}
        </Button>
      }
    >
      <div className="flex flex-col gap-3 text-sm">
        <p>{t.text}</p>
        <code data-testid="new-key" className="rounded-lg bg-raised p-3 font-mono text-xs break-all select-all">
          {secret}
        </code>
        <div className="flex flex-wrap gap-2">
          <CopyButton text={secret} label={t.copy} />
          <CopyButton text={variables} label={t.copyVariables} />
        </div>
      </div>
    </Dialog>
  );
}
