import { Plus } from 'lucide-react';
import { useStore } from 'zustand';

import { messageOf } from '../../api/api-error.ts';
import { type Experiment, MAX_COLUMNS, newExperiment, toTitle } from '../../features/playground/experiment.ts';
import { setPlaygroundKey } from '../../features/playground/playground-key.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Select } from '../../parts/controls/select.tsx';
import { ScreenHeader } from '../../parts/messages/states.tsx';
import { showToast, showFailure } from '../../parts/messages/toast-store.ts';
import { showControls } from '../../parts/text/show-controls.ts';
import { addColumn } from './experiment/edit-turns.ts';
import { keepExperiment } from './experiments/experiment-database.ts';
import type { ExperimentStore } from './experiments/experiment-store.ts';
import { ExperimentsMenu } from './experiments/experiments-menu.tsx';
import { newId, toModels } from './use-open-experiment.ts';

interface BenchHeaderProps {
  readonly store: ExperimentStore;
  readonly canChangeKey: boolean;
  readonly firstModel: string;
  /** Id of the column that the others are compared with; empty for none. */
  readonly baseId: string;
  readonly onBase: (baseId: string) => void;
  /** An experiment that is not kept yet, or the id of one that is. */
  readonly onOpen: (experiment: Experiment | string) => void;
}

/** The name of the experiment, and what concerns all of its columns. */
export function BenchHeader({ store, canChangeKey, firstModel, baseId, onBase, onOpen }: BenchHeaderProps) {
  const experiment = useStore(store);
  const { name, columns } = experiment;
  const models = toModels(experiment);
  const begin = (): void => onOpen(newExperiment(models === '' ? [firstModel] : models.split(','), newId));
  const onDeleted = (): void => {
    const before = store.getState();
    store.discard();
    begin();
    const undo = (): void =>
      void keepExperiment(before, new Date().toISOString()).then(
        () => onOpen(before.id),
        (error: unknown) => showFailure('Could not be undone', error),
      );
    showToast({ tone: 'neutral', title: `Deleted “${toTitle(before)}”`, action: { label: 'Undo', run: undo } });
  };
  const add = (): void =>
    store.update((before) => {
      const last = before.columns.findLast(({ isOriginal }) => !isOriginal);
      return addColumn(before, last?.model ?? firstModel, newId);
    });
  return (
    <ScreenHeader title="Playground" note={<SavingNote store={store} />}>
      <input
        aria-label="Name of the experiment"
        placeholder={toTitle(experiment)}
        maxLength={200}
        className="field w-40"
        value={name}
        onChange={(event) => store.update((before) => ({ ...before, name: event.target.value }))}
      />
      <ExperimentsMenu store={store} onNew={begin} onOpen={onOpen} onDeleted={onDeleted} />
      {canChangeKey && (
        <Button look="quiet" onClick={() => setPlaygroundKey(null)}>
          Change key
        </Button>
      )}
      {columns.length > 1 && (
        <Select
          label="Show differences from"
          title="Highlights differences in the last completions"
          className="field w-40"
          value={columns.some((column) => column.id === baseId) ? baseId : ''}
          options={[
            ['', 'No differences'],
            ...columns.map(
              (column, at) => [column.id, `Differences from ${at + 1}: ${showControls(column.model)}`] as const,
            ),
          ]}
          onChange={onBase}
        />
      )}
      <Button icon={<Plus size={15} />} disabled={columns.length >= MAX_COLUMNS} onClick={add}>
        Model
      </Button>
    </ScreenHeader>
  );
}

/** Whether the experiment would be there after a reload, and what of it would not. */
function SavingNote({ store }: { store: ExperimentStore }) {
  const saving = useStore(store.saving);
  if (saving === 'saving') return 'Saving in this browser…';
  if (saving === 'saved') return 'Saved in this browser.';
  if ('error' in saving) {
    return (
      <span role="alert" className="text-bad">
        This browser can’t store it ({messageOf(saving.error)}). Save it as a file.
      </span>
    );
  }
  return (
    <span className="text-caution">
      Saved in this browser, without files that are too large: {showControls(saving.leftOut.join(', '))}.
    </span>
  );
}
