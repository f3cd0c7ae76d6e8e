import type { ProviderSetup } from '@model-gateway/core/wire';
import type { QueryClient } from '@tanstack/react-query';

import { showToast } from '../../../parts/messages/toast-store.ts';
import { deleteModel } from '../../models/setup/model-setup-queries.ts';
import type { ModelChoice } from './model-choice.tsx';
import { type ProviderDraft, toSettings } from './provider-draft.ts';
import { createModelOf, createProvider, deleteProvider } from './setup-queries.ts';

/** Saves a new provider with the models that were chosen, and offers to undo it. Throws `ApiError`. */
export async function saveNewProvider(
  draft: ProviderDraft,
  choice: ModelChoice,
  { isTested, client }: { readonly isTested: boolean; readonly client: QueryClient },
): Promise<ProviderSetup> {
  const provider = await createProvider({ ...toSettings(draft), discoverModels: choice.mode === 'all' });
  const { slug, name } = provider;
  const chosen = choice.mode === 'some' ? [...choice.chosen] : [];
  const made: string[] = [];
  const failures: string[] = [];
  for (const model of chosen) {
    try {
      made.push(await createModelOf(slug, model));
    } catch (error) {
      failures.push(`${model}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const undo = async (): Promise<void> => {
    try {
      for (const id of made) await deleteModel(id);
      await deleteProvider(slug);
    } catch (error) {
      showToast({ tone: 'bad', title: `${name} was not removed`, detail: String(error) });
    }
    await client.invalidateQueries();
  };
  showToast({
    tone: isTested ? 'good' : 'neutral',
    title: isTested ? `${name} is in force` : `${name} is in force, untested`,
    action: { label: 'Undo', run: () => void undo() },
  });
  if (failures.length > 0) {
    showToast({
      tone: 'bad',
      title: `${failures.length} of its models could not be added`,
      detail: failures.join('\n'),
    });
  }
  await client.invalidateQueries();
  return provider;
}
