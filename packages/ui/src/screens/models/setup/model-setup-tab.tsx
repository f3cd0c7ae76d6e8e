import type { ModelSetup } from '@model-gateway/core/wire';
import { useQuery, useQueryClient, useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { createModel, deleteModel, modelSetupsQuery } from '../../../features/models/model-setup-queries.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/controls/button.tsx';
import { NotLoaded } from '../../../parts/messages/loaded.tsx';
import { showFailure, showUndo } from '../../../parts/messages/toast-store.ts';
import { JsonTree } from '../../../parts/text/json-tree.tsx';
import { modelSetupMessages } from './messages.ts';
import { ModelDialog } from './model-dialog.tsx';

/** What was set up of a model, here or in the configuration, and changing it. */
export function ModelSetupTab({ id }: { id: string }) {
  const t = modelSetupMessages().tab;
  const query = useQuery(modelSetupsQuery);
  const { data: setups } = query;
  if (setups === undefined) return <NotLoaded what={t.what} failure={t.failure} query={query} />;
  const own = setups.data.filter((setup) => setup.id === id);
  const stored = own.find(({ source }) => source === 'stored');
  const configured = own.find(({ source }) => source === 'config');
  return (
    <div className="flex flex-col gap-4 text-sm">
      {configured !== undefined && (
        <>
          <p className="flex flex-wrap items-center gap-2 text-ink-soft">
            <Badge>{t.fromFile}</Badge> {t.changeThere}
          </p>
          <div className="rounded-lg border border-line">
            <JsonTree value={configured.definition} label={t.configured} />
          </div>
        </>
      )}
      {own.length === 0 && <p className="text-ink-soft">{setups.editable ? t.canSet : t.builtIn}</p>}
      {setups.editable && (configured === undefined || stored !== undefined) && <Editing id={id} stored={stored} />}
    </div>
  );
}

function Editing({ id, stored }: { id: string; stored: ModelSetup | undefined }) {
  const t = modelSetupMessages().tab;
  const client = useQueryClient();
  const [isEditing, setIsEditing] = useState(false);
  const definition = stored?.definition ?? undefined;
  const remove = useMutation({
    mutationFn: () => deleteModel(id),
    onSuccess: () =>
      showUndo({
        title: t.deleted(id),
        async undo() {
          if (definition !== undefined) await createModel(definition);
          await client.invalidateQueries();
        },
        undone: t.restored(id),
      }),
    onError: (error) => showFailure(t.notDeleted, error),
    onSettled: () => client.invalidateQueries(),
  });
  return (
    <>
      {stored?.problem != null && (
        <p role="alert" className="rounded-lg border border-caution/50 bg-caution-soft p-3 break-words">
          {stored.problem}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {(stored === undefined || definition !== undefined) && (
          <Button look="primary" onClick={() => setIsEditing(true)}>
            {stored === undefined ? t.set : t.change}
          </Button>
        )}
        {stored !== undefined && (
          <Button look="danger" isBusy={remove.isPending} onClick={() => remove.mutate()}>
            {t.delete}
          </Button>
        )}
      </div>
      {isEditing && (
        <ModelDialog
          {...(definition !== undefined && { existing: definition })}
          startId={id}
          onClose={() => setIsEditing(false)}
          onSaved={() => setIsEditing(false)}
        />
      )}
    </>
  );
}
