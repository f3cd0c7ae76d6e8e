import { Download, FilePlus2, FlaskConical, FolderOpen, List } from 'lucide-react';
import { useRef, useState } from 'react';

import { type Experiment, type NewId, toTitle } from '../../../features/playground/experiment.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Menu } from '../../../parts/controls/menu.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';
import { saveFile } from '../../../parts/save-file.ts';
import { ExperimentsDialog } from './experiments-dialog.tsx';

interface ExperimentsMenuProps {
  readonly readOpen: () => Experiment;
  readonly openId: string;
  readonly newId: NewId;
  readonly onNew: () => void;
  readonly onOpen: (id: string) => void;
  readonly onImport: (experiment: Experiment) => void;
  readonly onDeleted: () => void;
}

/** Beginning anew, the list, and files. What reads and writes files is loaded when it is needed. */
export function ExperimentsMenu({ readOpen, openId, newId, onNew, onOpen, onImport, onDeleted }: ExperimentsMenuProps) {
  const [isListed, setIsListed] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const save = async (): Promise<void> => {
    const experiment = readOpen();
    const { toExperimentFile } = await import('./experiment-file.ts');
    const { text, leftOut } = toExperimentFile(experiment);
    saveFile(`${toFileName(toTitle(experiment))}.experiment.json`, new Blob([text], { type: 'application/json' }));
    if (leftOut.length > 0) showToast({ tone: 'neutral', title: 'Too large for the file', detail: leftOut.join(', ') });
  };
  const read = async (file: File): Promise<void> => {
    const { MAX_FILE_BYTES, readExperimentFile } = await import('./experiment-file.ts');
    try {
      if (file.size > MAX_FILE_BYTES) throw new Error('It is larger than any experiment');
      onImport(readExperimentFile(await file.text(), newId));
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      showToast({ tone: 'bad', title: `“${file.name}” is no experiment`, detail });
    }
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        aria-label="Experiment to open"
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file !== undefined) void read(file);
          target.value = '';
        }}
      />
      <Menu
        trigger={<Button icon={<FlaskConical size={15} aria-hidden />}>Experiments</Button>}
        items={[
          { label: 'New', icon: <FilePlus2 size={14} aria-hidden />, onSelect: onNew },
          { label: 'All experiments…', icon: <List size={14} aria-hidden />, onSelect: () => setIsListed(true) },
          { label: 'Save as a file', icon: <Download size={14} aria-hidden />, onSelect: () => void save() },
          {
            label: 'Open a file…',
            icon: <FolderOpen size={14} aria-hidden />,
            onSelect: () => input.current?.click(),
          },
        ]}
      />
      {isListed && (
        <ExperimentsDialog
          openId={openId}
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
