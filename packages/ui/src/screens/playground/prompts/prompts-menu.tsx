import { BookMarked, FolderOpen, History, Save } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useStore } from 'zustand';

import { useTask } from '../../../app/tasks.ts';
import type { Experiment } from '../../../features/playground/experiment.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Menu } from '../../../parts/controls/menu.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import type { ExperimentStore } from '../experiments/experiment-store.ts';
import { toModels } from '../use-open-experiment.ts';
import { promptsMessages } from './messages.tsx';

const PromptsDialog = lazy(async () => ({ default: (await import('./prompts-dialog.tsx')).PromptsDialog }));
const SaveDialog = lazy(async () => ({ default: (await import('./save-dialog.tsx')).SaveDialog }));

/** What is open of the prompts: the list, the versions of one, or the form that saves. */
export type PromptsView = 'list' | 'save' | { readonly id: string } | null;

interface PromptsMenuProps {
  readonly store: ExperimentStore;
  readonly firstModel: string;
  readonly view: PromptsView;
  readonly onView: (view: PromptsView) => void;
  readonly onOpen: (experiment: Experiment) => void;
}

/** Prompts that the gateway keeps: opened, saved, looked back at. The dialogs are loaded when they are needed. */
export function PromptsMenu({ store, firstModel, view, onView, onOpen }: PromptsMenuProps) {
  const t = promptsMessages();
  const experiment = useStore(store);
  const { prompt } = experiment;
  const models = toModels(experiment);
  useTask('open-prompts', () => onView('list'));
  useTask('save-prompt', () => onView('save'));
  const close = (): void => onView(null);
  return (
    <>
      <Menu
        trigger={
          <Button icon={<BookMarked size={15} />} title={t.title}>
            <span className="max-sm:sr-only">{t.title}</span>
          </Button>
        }
        items={[
          { label: t.menu.open, icon: <FolderOpen size={14} />, onSelect: () => onView('list') },
          {
            label: prompt === undefined ? t.menu.save : t.menu.saveVersion,
            icon: <Save size={14} />,
            onSelect: () => onView('save'),
          },
          ...(prompt === undefined
            ? []
            : [
                {
                  label: showControls(t.menu.versions(prompt.name)),
                  icon: <History size={14} />,
                  onSelect: () => onView({ id: prompt.id }),
                },
              ]),
        ]}
      />
      <Suspense>
        {view === 'save' && (
          <SaveDialog
            experiment={experiment}
            onSaved={(saved) =>
              store.update((before) => ({
                ...before,
                prompt: saved,
                name: before.name === '' ? saved.name : before.name,
              }))
            }
            onClose={close}
          />
        )}
        {view !== 'save' && view !== null && (
          <PromptsDialog
            initialId={view === 'list' ? null : view.id}
            models={models === '' ? [firstModel] : models.split(',')}
            onOpen={onOpen}
            onClose={close}
          />
        )}
      </Suspense>
    </>
  );
}
