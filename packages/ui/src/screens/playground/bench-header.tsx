import type { Model } from '@model-gateway/core/wire';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { useStore } from 'zustand';

import { messageOf } from '../../api/api-error.ts';
import type { Caller } from '../../api/call-api.ts';
import { useTask } from '../../app/tasks.ts';
import { type Experiment, MAX_COLUMNS, newExperiment, toTitle } from '../../features/playground/experiment.ts';
import { setPlaygroundKey } from '../../features/playground/playground-key.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Select } from '../../parts/controls/select.tsx';
import { ScreenHeader } from '../../parts/messages/states.tsx';
import { showToast, showFailure } from '../../parts/messages/toast-store.ts';
import { showControls } from '../../parts/text/show-controls.ts';
import { keepExperiment } from './experiments/experiment-database.ts';
import type { ExperimentStore } from './experiments/experiment-store.ts';
import { ExperimentsMenu } from './experiments/experiments-menu.tsx';
import { playgroundMessages } from './messages.tsx';
import { PickerDialog } from './model-picker.tsx';
import { PresetsMenu } from './presets/presets-menu.tsx';
import { PromptsMenu, type PromptsView } from './prompts/prompts-menu.tsx';
import { newId, toModels } from './use-open-experiment.ts';

interface BenchHeaderProps {
  readonly store: ExperimentStore;
  readonly caller: Caller;
  readonly canChangeKey: boolean;
  readonly firstModel: string;
  readonly allModels: readonly Model[];
  /** `isSent` when the new column is to be sent what waits in it, too. */
  readonly onAdd: (model: string, isSent: boolean) => void;
  /** Id of the column that the others are compared with; empty for none. */
  readonly baseId: string;
  readonly onBase: (baseId: string) => void;
  readonly promptsView: PromptsView;
  readonly onPromptsView: (view: PromptsView) => void;
  /** An experiment that is not kept yet, or the id of one that is. */
  readonly onOpen: (experiment: Experiment | string) => void;
}

/** The name of the experiment, and what concerns all of its columns. */
export function BenchHeader(props: BenchHeaderProps) {
  const { store, caller, canChangeKey, firstModel, allModels, baseId, onBase, onOpen, onAdd } = props;
  const t = playgroundMessages();
  const experiment = useStore(store);
  const { name, columns } = experiment;
  const models = toModels(experiment);
  const begin = (): void => onOpen(newExperiment(models === '' ? [firstModel] : models.split(','), newId));
  useTask('new-experiment', begin);
  const onDeleted = (): void => {
    const before = store.getState();
    store.discard();
    begin();
    const undo = (): void =>
      void keepExperiment(before, new Date().toISOString()).then(
        () => onOpen(before.id),
        (error: unknown) => showFailure(t.notUndone, error),
      );
    showToast({ tone: 'neutral', title: t.header.deleted(toTitle(before)), action: { label: t.undo, run: undo } });
  };
  const [isPicking, setIsPicking] = useState(false);
  return (
    <ScreenHeader title={t.title} note={<SavingNote store={store} />}>
      <input
        aria-label={t.header.name}
        placeholder={toTitle(experiment)}
        maxLength={200}
        className="field w-40 max-sm:w-auto max-sm:min-w-0 max-sm:flex-1 lg:w-64"
        value={name}
        onChange={(event) => store.update((before) => ({ ...before, name: event.target.value }))}
      />
      <PromptsMenu
        store={store}
        firstModel={firstModel}
        view={props.promptsView}
        onView={props.onPromptsView}
        onOpen={onOpen}
      />
      <PresetsMenu
        store={store}
        caller={caller}
        firstModel={firstModel}
        onOpen={onOpen}
        onAdd={(model) => onAdd(model, false)}
      />
      <ExperimentsMenu store={store} onNew={begin} onOpen={onOpen} onDeleted={onDeleted} />
      {canChangeKey && (
        <Button
          look="quiet"
          icon={<KeyRound size={15} className="sm:hidden" />}
          title={t.header.changeKey}
          onClick={() => setPlaygroundKey(null)}
        >
          <span className="max-sm:sr-only">{t.header.changeKey}</span>
        </Button>
      )}
      {columns.length > 1 && (
        <Select
          label={t.header.compare}
          title={t.header.compareHint}
          className="w-auto max-w-56"
          value={columns.some((column) => column.id === baseId) ? baseId : ''}
          options={[
            ['', t.header.noDifferences],
            ...columns.map(
              (column, at) => [column.id, t.header.differencesFrom(at + 1, showControls(column.model))] as const,
            ),
          ]}
          onChange={onBase}
        />
      )}
      <Button
        icon={<Plus size={15} />}
        aria-haspopup="dialog"
        title={t.header.addModel}
        disabled={columns.length >= MAX_COLUMNS}
        onClick={() => setIsPicking(true)}
      >
        <span className="max-sm:sr-only">{t.header.addModel}</span>
      </Button>
      {isPicking && (
        <PickerDialog
          models={allModels}
          onClose={() => setIsPicking(false)}
          onPick={(model, isSent) => {
            setIsPicking(false);
            onAdd(model, isSent);
          }}
        />
      )}
    </ScreenHeader>
  );
}

/** Whether the experiment would be there after a reload, and what of it would not. */
function SavingNote({ store }: { store: ExperimentStore }) {
  const { saving: t } = playgroundMessages();
  const saving = useStore(store.saving);
  if (saving === 'saving') return t.saving;
  if (saving === 'saved') return t.saved;
  if ('error' in saving) {
    return (
      <span role="alert" className="text-bad">
        {t.failed(messageOf(saving.error))}
      </span>
    );
  }
  return <span className="text-caution">{t.leftOut(showControls(saving.leftOut.join(', ')))}</span>;
}
