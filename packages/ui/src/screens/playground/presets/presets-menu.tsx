import { FolderOpen, Save, SlidersHorizontal } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useStore } from 'zustand';

import type { Caller } from '../../../api/call-api.ts';
import { toPresetModel } from '../../../features/models/preset-models.ts';
import type { Experiment } from '../../../features/playground/experiment.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Menu } from '../../../parts/controls/menu.tsx';
import type { ExperimentStore } from '../experiments/experiment-store.ts';
import { toModels } from '../use-open-experiment.ts';
import { presetsMessages } from './messages.ts';

const PresetsDialog = lazy(async () => ({ default: (await import('./presets-dialog.tsx')).PresetsDialog }));
const SavePreset = lazy(async () => ({ default: (await import('./save-preset.tsx')).SavePreset }));

interface PresetsMenuProps {
  readonly store: ExperimentStore;
  readonly caller: Caller;
  readonly firstModel: string;
  readonly onOpen: (experiment: Experiment) => void;
  /** Adds a column with this model. */
  readonly onAdd: (model: string) => void;
}

/** Presets of the workspace that the playground calls as: used, looked at, saved. */
export function PresetsMenu({ store, caller, firstModel, onOpen, onAdd }: PresetsMenuProps) {
  const t = presetsMessages();
  const experiment = useStore(store);
  const [view, setView] = useState<'list' | 'save' | null>(null);
  const models = toModels(experiment);
  const close = (): void => setView(null);
  return (
    <>
      <Menu
        trigger={
          <Button icon={<SlidersHorizontal size={15} />} title={t.title}>
            <span className="max-sm:sr-only">{t.title}</span>
          </Button>
        }
        items={[
          { label: t.menu.open, icon: <FolderOpen size={14} />, onSelect: () => setView('list') },
          { label: t.menu.save, icon: <Save size={14} />, onSelect: () => setView('save') },
        ]}
      />
      <Suspense>
        {view === 'save' && <SavePreset experiment={experiment} caller={caller} onClose={close} />}
        {view === 'list' && (
          <PresetsDialog
            caller={caller}
            models={models === '' ? [firstModel] : models.split(',')}
            onOpen={onOpen}
            onUse={({ slug }) => onAdd(toPresetModel(slug))}
            onClose={close}
          />
        )}
      </Suspense>
    </>
  );
}
