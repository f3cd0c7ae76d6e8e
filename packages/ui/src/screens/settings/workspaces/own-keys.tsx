import type { ByokKey } from '@model-gateway/core/wire';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';

import { callApi } from '../../../api/call-api.ts';
import { readAll } from '../../../api/queries.ts';
import { queryClient } from '../../../api/query-client.ts';
import { RowMenu } from '../../../features/list-screen/list-screen.tsx';
import { formatCount } from '../../../format/quantity.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/controls/button.tsx';
import { ConfirmDialog } from '../../../parts/dialogs/dialog.tsx';
import { Loaded } from '../../../parts/messages/loaded.tsx';
import { showFailure, showToast } from '../../../parts/messages/toast-store.ts';
import { showControls } from '../../../parts/text/show-controls.ts';
import { OwnKeyForm } from './own-key-form.tsx';
import { ownKeyMessages } from './own-key-messages.ts';

const PATH = '/api/v1/byok';
const KEY = ['own-keys'];

const ownKeysQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...KEY, workspaceId],
    queryFn: ({ signal }) => readAll<ByokKey>(`${PATH}?workspace_id=${encodeURIComponent(workspaceId)}`, 100, signal),
  });

const toName = ({ name, label }: ByokKey): string => name ?? label;

type Opened = { readonly type: 'new' } | { readonly type: 'edit' | 'delete'; readonly ownKey: ByokKey };

/** The workspace's own keys of providers, in the order in which they are tried. */
export function OwnKeys({ workspaceId }: { readonly workspaceId: string }) {
  const t = ownKeyMessages();
  const query = useQuery(ownKeysQuery(workspaceId));
  const [open, setOpen] = useState<Opened | null>(null);
  const close = () => setOpen(null);
  return (
    <section aria-label={t.title} className="card flex flex-col gap-3 p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h3 className="flex-1 text-base font-semibold">{t.title}</h3>
        <Button icon={<Plus size={15} />} onClick={() => setOpen({ type: 'new' })}>
          {t.add}
        </Button>
      </div>
      <p className="max-w-prose text-sm text-ink-soft">{t.about}</p>
      <Loaded what={t.what} query={query} data={query.data} isFlush>
        {(keys) =>
          keys.length === 0 ? (
            <p className="text-sm text-ink-faint">{t.none}</p>
          ) : (
            <KeyList keys={keys} onOpen={setOpen} />
          )
        }
      </Loaded>
      {(open?.type === 'new' || open?.type === 'edit') && (
        <OwnKeyForm
          existing={open.type === 'edit' ? open.ownKey : undefined}
          onClose={close}
          onSave={async (body) => {
            if (open.type === 'new') await create({ ...body, workspace_id: workspaceId });
            else await change(open.ownKey, body);
            close();
          }}
        />
      )}
      {open?.type === 'delete' && (
        <ConfirmDialog
          title={t.confirmDelete(toName(open.ownKey))}
          action={t.delete}
          onClose={close}
          onConfirm={async () => {
            await callApi(`${PATH}/${open.ownKey.id}`, { method: 'DELETE' });
            await reload();
          }}
        >
          <p>{t.deleteText}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

const reload = () => queryClient.invalidateQueries({ queryKey: KEY });

async function create(body: object): Promise<void> {
  await callApi(PATH, { method: 'POST', body });
  await reload();
}

async function change({ id }: ByokKey, body: object): Promise<void> {
  await callApi(`${PATH}/${id}`, { method: 'PATCH', body });
  await reload();
}

interface KeyListProps {
  readonly keys: readonly ByokKey[];
  readonly onOpen: (open: Opened) => void;
}

function KeyList({ keys, onOpen }: KeyListProps) {
  const t = ownKeyMessages();
  const fail = (failure: unknown) => showFailure(t.notChanged, failure);
  const toggle = useMutation({
    mutationFn: (key: ByokKey) => change(key, { disabled: !key.disabled }),
    onSuccess: (_, key) => showToast({ tone: 'good', title: t.toggled(toName(key), !key.disabled) }),
    onError: fail,
  });
  const swap = useMutation({
    async mutationFn([key, other]: readonly [ByokKey, ByokKey]) {
      await change(key, { sort_order: other.sort_order });
      await change(other, { sort_order: key.sort_order });
    },
    onError: fail,
  });
  const sorted = keys.toSorted((a, b) => Number(a.is_fallback) - Number(b.is_fallback) || a.sort_order - b.sort_order);
  return (
    <ul className="flex flex-col gap-2 text-sm">
      {sorted.map((key, index) => {
        // Only keys of the same provider, at the same place, have an order among them.
        const before = sorted
          .slice(0, index)
          .findLast(
            ({ provider, is_fallback: isFallback }) => provider === key.provider && isFallback === key.is_fallback,
          );
        return (
          <li
            key={key.id}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-line px-3 py-2.5"
          >
            <div className="min-w-0 flex-1 basis-52">
              <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
                <span className="min-w-0 break-words">{showControls(toName(key))}</span>
                {key.disabled && <Badge tone="caution">{t.disabled}</Badge>}
                {key.is_fallback && <Badge>{t.fallback}</Badge>}
                {(key.is_required || key.is_byok_only) && <Badge>{t.alone}</Badge>}
              </p>
              <p className="text-xs text-ink-faint">
                {key.provider} · <code className="font-mono">{key.label}</code> · {toReach(key)}
              </p>
            </div>
            <RowMenu
              label={t.actionsFor(toName(key))}
              items={[
                { label: t.edit, onSelect: () => onOpen({ type: 'edit', ownKey: key }) },
                ...(before === undefined ? [] : [{ label: t.moveUp, onSelect: () => swap.mutate([key, before]) }]),
                { label: key.disabled ? t.enable : t.disable, onSelect: () => toggle.mutate(key) },
                { label: t.deleteDots, isDangerous: true, onSelect: () => onOpen({ type: 'delete', ownKey: key }) },
              ]}
            />
          </li>
        );
      })}
    </ul>
  );
}

function toReach({ allowed_models: models, allowed_api_key_hashes: hashes }: ByokKey): string {
  const t = ownKeyMessages();
  return [
    models === null ? t.allModels : t.someModels(formatCount(models.length)),
    hashes === null ? t.allKeys : t.someKeys(formatCount(hashes.length)),
  ].join(' · ');
}
