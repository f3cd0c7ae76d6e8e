import { type FormEvent, useState } from 'react';

import type { SavedView } from '../../../app/preferences.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Dialog } from '../../../parts/dialogs/dialog.tsx';
import { LastChange } from '../../../parts/messages/last-change.tsx';
import { viewsMessages } from './messages.tsx';
import { MAX_NAME, renameView } from './saved-views.ts';
import { useViews } from './use-views.ts';

/** The last change, with the view as it was before. */
interface Done {
  readonly text: string;
  readonly name: string;
  readonly before: SavedView;
}

/** Renames saved views and deletes them; the last of either can be undone. */
export function ManageViews({ onClose }: { onClose: () => void }) {
  const t = viewsMessages();
  const { views, put, rename } = useViews();
  const [done, setDone] = useState<Done | null>(null);
  const undo = (): void => {
    if (done === null) return;
    const { name, before } = done;
    const renamed = name === before.name ? undefined : views.find((view) => view.name === name);
    void (renamed === undefined ? put(before) : rename(renamed, before.name));
    setDone(null);
  };
  return (
    <Dialog title={t.savedViews} onClose={onClose} actions={<Button onClick={onClose}>{t.done}</Button>}>
      {views.length === 0 && <p className="text-sm text-ink-faint">{t.none}</p>}
      <ul className="flex flex-col gap-3">
        {views.map((view) => (
          <li key={view.name}>
            <View view={view} onDone={setDone} />
          </li>
        ))}
      </ul>
      <LastChange text={done?.text} onUndo={undo} />
    </Dialog>
  );
}

function View({ view, onDone }: { view: SavedView; onDone: (done: Done) => void }) {
  const t = viewsMessages();
  const { views, rename, remove } = useViews();
  const [name, setName] = useState(view.name);
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const next = name.trim();
    const renamed = renameView(views, view.name, next);
    if (typeof renamed === 'string') return setProblem(renamed);
    void rename(view, next);
    onDone({ text: t.renamed(view.name, next), name: next, before: view });
  };
  return (
    <form onSubmit={submit}>
      <div className="flex items-center gap-2">
        <input
          aria-label={t.nameOf(view.name)}
          aria-invalid={problem !== undefined || undefined}
          className="field"
          maxLength={MAX_NAME}
          value={name}
          onChange={(event) => {
            setName(event.target.value);
            setProblem(undefined);
          }}
        />
        <Button type="submit" aria-label={t.renameOf(view.name)} disabled={name.trim() === view.name}>
          {t.rename}
        </Button>
        <Button
          look="danger"
          aria-label={t.deleteOf(view.name)}
          onClick={() => {
            void remove(view.name);
            onDone({ text: t.deleted(view.name), name: view.name, before: view });
          }}
        >
          {t.delete}
        </Button>
      </div>
      {problem !== undefined && (
        <p role="alert" className="mt-1 text-xs text-bad">
          {problem}
        </p>
      )}
    </form>
  );
}
