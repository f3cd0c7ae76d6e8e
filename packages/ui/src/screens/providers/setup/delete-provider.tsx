import type { ProviderSetup } from '@model-gateway/core/wire';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { ApiError } from '../../../api/api-error.ts';
import { deleteModel } from '../../../features/models/model-setup-queries.ts';
import { deleteProvider } from '../../../features/providers/setup/setup-queries.ts';
import { ConfirmDialog } from '../../../parts/dialogs/dialog.tsx';
import { providersMessages } from '../messages.ts';

interface DeleteProviderProps {
  readonly setup: ProviderSetup;
  readonly onClose: () => void;
  readonly onGone: () => void;
}

/** Asks first: the key cannot be brought back. Models that were set up with the provider go with it, once they are named. */
export function DeleteProvider({ setup: { slug, name }, onClose, onGone }: DeleteProviderProps) {
  const t = providersMessages().setup;
  const client = useQueryClient();
  const [models, setModels] = useState<readonly string[]>([]);
  const remove = async (): Promise<void> => {
    try {
      for (const id of models) await deleteModel(id);
      await deleteProvider(slug);
    } catch (error) {
      setModels(readModels(error));
      throw error;
    }
    await client.invalidateQueries();
    onGone();
  };
  return (
    <ConfirmDialog
      title={t.deleteTitle(name)}
      action={models.length === 0 ? t.deleteOne : t.deleteWith(models.length)}
      onClose={onClose}
      onConfirm={remove}
    >
      <p>{t.keyGoes}</p>
      {models.length > 0 && (
        <>
          <p>{t.modelsGo}</p>
          <ul aria-label={t.modelsOf} className="scroll-thin max-h-40 list-disc overflow-y-auto pl-5">
            {models.map((id) => (
              <li key={id} className="font-mono text-xs break-all">
                {id}
              </li>
            ))}
          </ul>
        </>
      )}
    </ConfirmDialog>
  );
}

function readModels(error: unknown): readonly string[] {
  const named = error instanceof ApiError ? error.metadata['models'] : undefined;
  return Array.isArray(named) ? named.filter((id) => typeof id === 'string') : [];
}
