import { type FormEvent, useState } from 'react';

import { getPreferences, setPreferences, usePreferences } from '../../../app/preferences.ts';
import { toFilterText } from '../../../features/generations/search/filter-text.ts';
import type { GenerationSearch } from '../../../features/generations/search/generation-search.ts';
import { isPeriod, PERIODS } from '../../../format/time.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Field } from '../../../parts/controls/field.tsx';
import { Dialog } from '../../../parts/dialogs/dialog.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';
import { findNameProblem, MAX_NAME, putView, removeView, toView } from './saved-views.ts';

/** Asks for the name under which the list is to be found again as it is now. */
export function SaveView({ search, onClose }: { search: GenerationSearch; onClose: () => void }) {
  const { views, hiddenColumns } = usePreferences();
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string>();
  const save = (event: FormEvent): void => {
    event.preventDefault();
    const wanted = name.trim();
    const found = findNameProblem(views, wanted);
    if (found !== undefined) return setProblem(found);
    setPreferences({ views: putView(views, toView(wanted, search, hiddenColumns)) });
    showToast({
      tone: 'good',
      title: `Saved the view “${wanted}”`,
      action: { label: 'Undo', run: () => setPreferences({ views: removeView(getPreferences().views, wanted) }) },
    });
    onClose();
  };
  return (
    <Dialog
      title="Save this view"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form="save-view">
            Save
          </Button>
        </>
      }
    >
      <form id="save-view" className="flex flex-col gap-3 text-sm" onSubmit={save}>
        <Field label="Name" error={problem}>
          {(control) => (
            <input
              {...control}
              className="field"
              maxLength={MAX_NAME}
              value={name}
              onChange={(event) => {
                setName(event.target.value);
                setProblem(undefined);
              }}
            />
          )}
        </Field>
        <p className="text-ink-soft">
          The view has {toContents(search)}, and the columns as they are. This browser keeps it; to show the list to
          somebody else, send the address.
        </p>
      </form>
    </Dialog>
  );
}

function toContents(search: GenerationSearch): React.ReactNode {
  if (search.pinned !== undefined) return 'what is pinned';
  const line = toFilterText(search);
  const { range, from, to } = search;
  const own = from === undefined && to === undefined ? 'any time' : 'the chosen span';
  const time = isPeriod(range) ? PERIODS[range].label.toLowerCase() : own;
  return (
    <>
      {line === '' ? 'no filter' : <code className="font-mono text-xs break-all">{line}</code>}, {time}
    </>
  );
}
