import { type FormEvent, useState } from 'react';

import { getPreferences, type SavedView, setPreferences, usePreferences } from '../../../app/preferences.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Dialog } from '../../../parts/dialogs/dialog.tsx';
import { MAX_NAME, putView, removeView, renameView } from './saved-views.ts';

/** The last change, with the view as it was before. */
interface Done {
  readonly text: string;
  readonly name: string;
  readonly before: SavedView;
}

/** Renames saved views and deletes them; the last of either can be undone. */
export function ManageViews({ onClose }: { onClose: () => void }) {
  const { views } = usePreferences();
  const [done, setDone] = useState<Done | null>(null);
  const undo = ({ name, before }: Done): void => {
    setPreferences({ views: putView(removeView(getPreferences().views, name), before) });
    setDone(null);
  };
  return (
    <Dialog title="Saved views" onClose={onClose} actions={<Button onClick={onClose}>Done</Button>}>
      {views.length === 0 && <p className="text-sm text-ink-faint">None is left.</p>}
      <ul className="flex flex-col gap-3">
        {views.map((view) => (
          <li key={view.name}>
            <View view={view} onDone={setDone} />
          </li>
        ))}
      </ul>
      <p role="status" className="mt-3 flex min-h-8 items-center gap-2 text-sm text-ink-soft">
        {done !== null && (
          <>
            <span className="min-w-0 truncate">{done.text}</span>
            <Button look="quiet" className="text-accent" onClick={() => undo(done)}>
              Undo
            </Button>
          </>
        )}
      </p>
    </Dialog>
  );
}

function View({ view, onDone }: { view: SavedView; onDone: (done: Done) => void }) {
  const [name, setName] = useState(view.name);
  const [problem, setProblem] = useState<string>();
  const rename = (event: FormEvent): void => {
    event.preventDefault();
    const next = name.trim();
    const views = renameView(getPreferences().views, view.name, next);
    if (typeof views === 'string') return setProblem(views);
    setPreferences({ views });
    onDone({ text: `“${view.name}” is called “${next}” now`, name: next, before: view });
  };
  const remove = (): void => {
    setPreferences({ views: removeView(getPreferences().views, view.name) });
    onDone({ text: `Deleted “${view.name}”`, name: view.name, before: view });
  };
  return (
    <form onSubmit={rename}>
      <div className="flex items-center gap-2">
        <input
          aria-label={`Name of ${view.name}`}
          aria-invalid={problem !== undefined || undefined}
          className="field"
          maxLength={MAX_NAME}
          value={name}
          onChange={(event) => {
            setName(event.target.value);
            setProblem(undefined);
          }}
        />
        <Button type="submit" aria-label={`Rename ${view.name}`} disabled={name.trim() === view.name}>
          Rename
        </Button>
        <Button look="danger" aria-label={`Delete ${view.name}`} onClick={remove}>
          Delete
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
