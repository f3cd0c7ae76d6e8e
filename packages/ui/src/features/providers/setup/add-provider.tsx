import type { ProviderSetup } from '@model-gateway/core/wire';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';

import { messageOf } from '../../../api/api-error.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { issueFor } from '../../../parts/controls/field.tsx';
import { Dialog } from '../../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../../parts/messages/error-panel.tsx';
import { showToast, showFailure } from '../../../parts/messages/toast-store.ts';
import { scrollIntoView } from '../../../parts/scroll-into-view.ts';
import { deleteModel } from '../../models/model-setup-queries.ts';
import { useDraftTest } from '../use-layer-test.ts';
import { providerSetupMessages } from './messages.ts';
import { type ModelChoice, ModelChoiceFields } from './model-choice.tsx';
import { PresetTiles } from './preset-tiles.tsx';
import { listsModels, type ProviderDraft, startDraft, toSettings } from './provider-draft.ts';
import { ProviderFields } from './provider-fields.tsx';
import {
  createModelOf,
  createProvider,
  deleteProvider,
  type ListedModel,
  providerSetupsQuery,
} from './setup-queries.ts';
import { TestArea } from './test-area.tsx';

interface AddProviderProps {
  readonly onClose: () => void;
  /** Called when the provider is saved. */
  readonly onSaved: (slug: string, isTested: boolean) => void;
}

/** Chooses a provider, takes its key or address, tests it and saves it. */
export function AddProvider({ onClose, onSaved }: AddProviderProps) {
  const { data: setups } = useQuery(providerSetupsQuery);
  const [start, setStart] = useState<ProviderDraft | null>(null);
  if (start !== null)
    return <NewProvider start={start} onBack={() => setStart(null)} onClose={onClose} onSaved={onSaved} />;
  const taken = new Set(setups?.data.map(({ slug }) => slug));
  return (
    <Dialog key="choose" title={providerSetupMessages().add.title} width="wide" onClose={onClose}>
      <PresetTiles onChoose={({ preset, server }) => setStart(startDraft(preset, server, taken))} />
    </Dialog>
  );
}

function NewProvider({
  start,
  onBack,
  onClose,
  onSaved,
}: AddProviderProps & { start: ProviderDraft; onBack: () => void }) {
  const t = providerSetupMessages().add;
  const formId = useId();
  const client = useQueryClient();
  const [draft, setDraft] = useState(start);
  const [choice, setChoice] = useState<ModelChoice | null>(null);
  const result = useRef<HTMLDivElement>(null);
  const test = useDraftTest();
  const { found } = test;
  const isTested = found?.ok === true;
  const lists = found === null ? listsModels(draft) : found.models !== null;
  const models = choice ?? { mode: lists ? 'all' : start.preset === null ? 'some' : 'none', chosen: new Set<string>() };
  const save = useMutation({
    mutationFn: () => saveNewProvider(draft, models, { isTested, listed: found?.models ?? [], client }),
    onSuccess: ({ slug }) => onSaved(slug, isTested),
  });
  const change = (next: Partial<ProviderDraft>): void => {
    setDraft({ ...draft, ...next });
    // What was found holds for what was typed then.
    test.reset();
    save.reset();
  };
  const issue = (field: string): string | undefined =>
    issueFor(save.error, field) ?? issueFor(test.error, `provider.${field}`);
  const runTest = (model?: string): void =>
    test.run({ provider: toSettings(draft), ...(model !== undefined && { model }) });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isTested) save.mutate();
    else runTest();
  };
  useEffect(() => {
    if (found !== null || test.isPending) result.current?.scrollIntoView({ block: 'nearest' });
  }, [found, test.isPending]);
  const name = draft.preset?.name ?? t.custom;
  return (
    <Dialog
      key="form"
      title={draft.preset === null ? `${t.title}: ${name}` : t.titleOf(name)}
      width="wide"
      onClose={onClose}
      actions={
        <>
          <Button look="quiet" icon={<ArrowLeft size={14} />} className="mr-auto" onClick={onBack}>
            {t.back}
          </Button>
          {!isTested && (
            <Button isBusy={save.isPending} disabled={test.isPending} onClick={() => save.mutate()}>
              {t.saveUntested}
            </Button>
          )}
          <Button type="submit" form={formId} look="primary" isBusy={test.isPending || save.isPending}>
            {isTested ? t.save : t.test}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        <ProviderFields draft={draft} onChange={change} issue={issue} />
        <div ref={result} className="flex flex-col gap-4">
          <TestArea name={draft.name.trim() || (draft.preset?.name ?? draft.slug)} test={test} onTry={runTest} />
          {isTested && <ModelChoiceFields models={found.models} value={models} onChange={setChoice} />}
        </div>
        {save.error !== null && (
          <div ref={scrollIntoView}>
            <UnsavedPanel error={save.error} onRetry={() => save.mutate()} />
          </div>
        )}
      </form>
    </Dialog>
  );
}

/** Saves a new provider with the models that were chosen, and offers to undo it. Throws `ApiError`. */
async function saveNewProvider(
  draft: ProviderDraft,
  choice: ModelChoice,
  {
    isTested,
    listed,
    client,
  }: { readonly isTested: boolean; readonly listed: readonly ListedModel[]; readonly client: QueryClient },
): Promise<ProviderSetup> {
  const t = providerSetupMessages().add;
  const provider = await createProvider({ ...toSettings(draft), discoverModels: choice.mode === 'all' });
  const { slug, name } = provider;
  const chosen = choice.mode === 'some' ? [...choice.chosen] : [];
  const made: string[] = [];
  const failures: string[] = [];
  for (const model of chosen) {
    try {
      made.push(
        await createModelOf(
          slug,
          model,
          listed.find(({ id }) => id === model),
        ),
      );
    } catch (error) {
      failures.push(`${model}: ${messageOf(error)}`);
    }
  }
  const undo = async (): Promise<void> => {
    try {
      for (const id of made) await deleteModel(id);
      await deleteProvider(slug);
    } catch (error) {
      showFailure(t.notRemoved(name), error);
    }
    await client.invalidateQueries();
  };
  showToast({
    tone: isTested ? 'good' : 'neutral',
    title: (isTested ? t.added : t.addedUntested)(name),
    action: { label: t.undo, run: () => void undo() },
  });
  if (failures.length > 0) {
    showToast({
      tone: 'bad',
      title: t.modelsFailed(failures.length),
      detail: failures.join('\n'),
    });
  }
  await client.invalidateQueries();
  return provider;
}
