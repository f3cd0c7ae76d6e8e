import type { Workspace } from '@model-gateway/core/wire';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { workspacesQuery } from '../../api/queries.ts';
import { Button } from '../../parts/controls/button.tsx';
import { issueFor } from '../../parts/controls/field.tsx';
import { LabelledInput, LabelledSelect } from '../../parts/controls/labelled.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { NotLoaded } from '../../parts/messages/loaded.tsx';
import { showUndo } from '../../parts/messages/toast-store.ts';
import { partMessages } from '../../parts/part-messages.ts';
import { settingsMessages } from './messages.tsx';

/** The address of each workspace that hears of the end of its videos. */
export function CallbackCard() {
  const t = settingsMessages().webhooks;
  const query = useQuery(workspacesQuery);
  const { data: workspaces } = query;
  const [chosenId, setChosenId] = useState<string | null>(null);
  const chosen = workspaces?.find(({ id }) => id === chosenId) ?? workspaces?.[0];
  return (
    <section className="card flex flex-col gap-4 p-4">
      <h2 className="text-base font-semibold">{t.title}</h2>
      {(chosen === undefined || query.error !== null) && (
        <NotLoaded what={t.what} failure={t.failure} query={query} isFlush />
      )}
      {workspaces !== undefined && workspaces.length > 1 && (
        <LabelledSelect
          label={t.workspace}
          value={chosen?.id}
          options={workspaces.map(({ id, name }) => [id, name] as const)}
          onChange={setChosenId}
        />
      )}
      {chosen !== undefined && <CallbackForm key={chosen.id} workspace={chosen} />}
    </section>
  );
}

function CallbackForm({ workspace: { id, default_callback_url: stored } }: { workspace: Workspace }) {
  const client = useQueryClient();
  const t = settingsMessages().webhooks;
  const { undo: undoLabel, save: saveLabel } = partMessages().actions;
  const [draft, setDraft] = useState(stored ?? '');
  const write = (address: string) =>
    callApi<{ data: Workspace }>(`/api/v1/workspaces/${id}`, {
      method: 'PATCH',
      body: { default_callback_url: address === '' ? null : address },
    });
  const refresh = () => client.invalidateQueries({ queryKey: workspacesQuery.queryKey });
  const save = useMutation({
    mutationFn: () => write(draft.trim()),
    onSuccess: async ({ data }) => {
      const before = stored ?? '';
      setDraft(data.default_callback_url ?? '');
      showUndo({
        title: settingsMessages().saved,
        async undo() {
          setDraft((await write(before)).data.default_callback_url ?? '');
          await refresh();
        },
        undone: t.restored,
      });
      await refresh();
    },
  });
  const isChanged = draft.trim() !== (stored ?? '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <LabelledInput
        label={t.address}
        hint={t.addressHint}
        error={issueFor(save.error, 'default_callback_url')}
        type="url"
        placeholder="https://…"
        maxLength={2048}
        value={draft}
        onChange={setDraft}
      />
      {save.error !== null && <UnsavedPanel error={save.error} onRetry={() => save.mutate()} />}
      <div className="flex justify-end gap-2">
        <Button
          disabled={!isChanged}
          onClick={() => {
            setDraft(stored ?? '');
            save.reset();
          }}
        >
          {undoLabel}
        </Button>
        <Button type="submit" look="primary" disabled={!isChanged} isBusy={save.isPending}>
          {saveLabel}
        </Button>
      </div>
    </form>
  );
}
