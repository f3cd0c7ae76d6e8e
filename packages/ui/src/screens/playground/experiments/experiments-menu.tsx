import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Download, FilePlus2, FlaskConical, FolderOpen, List } from 'lucide-react';
import { useRef, useState } from 'react';

import { type Experiment, toTitle } from '../../../features/playground/experiment.ts';
import { formatRelative } from '../../../format/time.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/controls/button.tsx';
import { Menu } from '../../../parts/controls/menu.tsx';
import { Dialog } from '../../../parts/dialogs/dialog.tsx';
import { ErrorPanel } from '../../../parts/messages/error-panel.tsx';
import { LastChange } from '../../../parts/messages/last-change.tsx';
import { showToast, showFailure } from '../../../parts/messages/toast-store.ts';
import { saveFile } from '../../../parts/save-file.ts';
import { showControls } from '../../../parts/text/show-controls.ts';
import { newId } from '../use-open-experiment.ts';
import {
  type ExperimentSummary,
  deleteExperiment,
  keepExperiment,
  listExperiments,
  readExperiment,
} from './experiment-database.ts';
import type { ExperimentStore } from './experiment-store.ts';
import { experimentsMessages } from './messages.ts';

interface ExperimentsMenuProps {
  readonly store: ExperimentStore;
  readonly onNew: () => void;
  /** An experiment that is not kept yet, or the id of one that is. */
  readonly onOpen: (experiment: Experiment | string) => void;
  readonly onDeleted: () => void;
}

/** Beginning again, the list, and files. What reads and writes files is loaded when it is needed. */
export function ExperimentsMenu({ store, onNew, onOpen, onDeleted }: ExperimentsMenuProps) {
  const t = experimentsMessages();
  const [isListed, setIsListed] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const save = async (): Promise<void> => {
    const experiment = store.getState();
    const { toExperimentFile } = await import('./experiment-file.ts');
    const { text, leftOut } = toExperimentFile(experiment);
    saveFile(`${toFileName(toTitle(experiment))}.experiment.json`, new Blob([text], { type: 'application/json' }));
    if (leftOut.length > 0) showToast({ tone: 'neutral', title: t.tooLargeForFile, detail: leftOut.join(', ') });
  };
  const read = async (file: File): Promise<void> => {
    const { MAX_FILE_BYTES, readExperimentFile } = await import('./experiment-file.ts');
    try {
      if (file.size > MAX_FILE_BYTES) throw new Error(t.fileTooLarge);
      onOpen(readExperimentFile(await file.text(), newId));
    } catch (error) {
      showFailure(t.notAnExperiment(file.name), error);
    }
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        aria-label={t.fileToOpen}
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file !== undefined) void read(file);
          target.value = '';
        }}
      />
      <Menu
        trigger={
          <Button icon={<FlaskConical size={15} />} title={t.title}>
            <span className="max-sm:sr-only">{t.title}</span>
          </Button>
        }
        items={[
          { label: t.new, icon: <FilePlus2 size={14} />, onSelect: onNew },
          { label: t.all, icon: <List size={14} />, onSelect: () => setIsListed(true) },
          { label: t.saveFile, icon: <Download size={14} />, onSelect: () => void save() },
          {
            label: t.openFile,
            icon: <FolderOpen size={14} />,
            onSelect: () => input.current?.click(),
          },
        ]}
      />
      {isListed && (
        <ExperimentsDialog
          openId={store.getState().id}
          onOpen={(id) => {
            setIsListed(false);
            onOpen(id);
          }}
          onDeleted={onDeleted}
          onClose={() => setIsListed(false)}
        />
      )}
    </>
  );
}

const toFileName = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40) || 'untitled';

interface ExperimentsDialogProps {
  /** The one on the screen, whose name is changed there. */
  readonly openId: string;
  readonly onOpen: (id: string) => void;
  /** The one on the screen is about to be deleted, which closes the list: undoing that is offered elsewhere. */
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

const LIST = ['experiments'];
const MAX_NAME = 200;

/** The experiments that this browser keeps: opened, renamed, deleted. The last of either can be undone. */
function ExperimentsDialog({ openId, onOpen, onDeleted, onClose }: ExperimentsDialogProps) {
  const t = experimentsMessages();
  const client = useQueryClient();
  const { data, error } = useQuery({ queryKey: LIST, queryFn: listExperiments, staleTime: 0, gcTime: 0 });
  const [done, setDone] = useState<{ text: string; before: Experiment; changedAt: string } | null>(null);
  const [renamed, setRenamed] = useState<string | null>(null);
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: LIST });
  const change = async (summary: ExperimentSummary, text: string, act: (before: Experiment) => Promise<unknown>) => {
    try {
      const before = await readExperiment(summary.id);
      if (before !== undefined) {
        await act(before);
        setDone({ text, before, changedAt: summary.changedAt });
      }
    } catch (failure) {
      showFailure(t.notChanged, failure);
    }
    await refresh();
  };
  const undo = async (): Promise<void> => {
    if (done === null) return;
    setDone(null);
    await keepExperiment(done.before, done.changedAt).catch((failure: unknown) => showFailure(t.notUndone, failure));
    await refresh();
  };
  const remove = (summary: ExperimentSummary): Promise<void> =>
    change(summary, t.deleted(summary.title), async () => {
      // Before it is, so that nothing keeps it again.
      if (summary.id === openId) onDeleted();
      await deleteExperiment(summary.id);
    });
  const rename = (summary: ExperimentSummary, name: string): Promise<void> => {
    setRenamed(null);
    return change(summary, t.renamed(summary.title, name), (before) =>
      keepExperiment({ ...before, name }, summary.changedAt),
    );
  };
  return (
    <Dialog title={t.title} width="wide" onClose={onClose} actions={<Button onClick={onClose}>{t.done}</Button>}>
      <p className="mb-3 text-sm text-ink-faint">{t.note}</p>
      {error !== null && <ErrorPanel error={error} title={t.notStored} />}
      {data?.length === 0 && <p className="text-sm text-ink-faint">{t.none}</p>}
      <ul className="flex flex-col divide-y divide-line">
        {data?.map((summary) => (
          <li key={summary.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
            {renamed === summary.id ? (
              <NameForm
                summary={summary}
                onSave={(name) => void rename(summary, name)}
                onCancel={() => setRenamed(null)}
              />
            ) : (
              <>
                <div className="min-w-0 flex-1 basis-56">
                  <p className="truncate text-sm font-medium">
                    {showControls(summary.title)} {summary.id === openId && <Badge tone="accent">{t.isOpen}</Badge>}
                  </p>
                  <p className="truncate text-xs text-ink-faint">
                    {formatRelative(summary.changedAt)} · {showControls([...new Set(summary.models)].join(', '))}
                  </p>
                </div>
                <Button
                  aria-label={t.openThe(summary.title)}
                  disabled={summary.id === openId}
                  onClick={() => onOpen(summary.id)}
                >
                  {t.open}
                </Button>
                <Button
                  aria-label={t.renameThe(summary.title)}
                  disabled={summary.id === openId}
                  title={summary.id === openId ? t.renameAbove : undefined}
                  onClick={() => setRenamed(summary.id)}
                >
                  {t.rename}
                </Button>
                <Button look="danger" aria-label={t.deleteThe(summary.title)} onClick={() => void remove(summary)}>
                  {t.delete}
                </Button>
              </>
            )}
          </li>
        ))}
      </ul>
      <LastChange text={done === null ? undefined : showControls(done.text)} onUndo={() => void undo()} />
    </Dialog>
  );
}

interface NameFormProps {
  readonly summary: ExperimentSummary;
  readonly onSave: (name: string) => void;
  readonly onCancel: () => void;
}

function NameForm({ summary, onSave, onCancel }: NameFormProps) {
  const t = experimentsMessages();
  const [name, setName] = useState(summary.title);
  return (
    <form
      className="flex w-full items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(name.trim());
      }}
    >
      <input
        ref={(field) => field?.focus()}
        aria-label={t.nameOf(summary.title)}
        maxLength={MAX_NAME}
        className="field"
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit" disabled={name.trim() === ''}>
        {t.save}
      </Button>
      <Button look="quiet" onClick={onCancel}>
        {t.cancel}
      </Button>
    </form>
  );
}
