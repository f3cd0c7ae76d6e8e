import { Bookmark } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { type FormEvent, useRef, useState } from 'react';

import { type SavedView, getPreferences, setPreferences, usePreferences } from '../../../app/preferences.ts';
import { toFilterText } from '../../../features/generations/search/filter-text.ts';
import type { GenerationSearch } from '../../../features/generations/search/generation-search.ts';
import { useOpenView } from '../../../features/generations/search/use-open-view.ts';
import { toPeriodTexts, isPeriod } from '../../../format/days.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { LabelledInput } from '../../../parts/controls/labelled.tsx';
import { MENU_ITEM, MenuCheck, MenuContent } from '../../../parts/controls/menu.tsx';
import { Dialog } from '../../../parts/dialogs/dialog.tsx';
import { LastChange } from '../../../parts/messages/last-change.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';

export function ViewsMenu({ search }: { search: GenerationSearch }) {
  const { views, hiddenColumns } = usePreferences();
  const [open, setOpen] = useState<'save' | 'manage' | null>(null);
  const openView = useOpenView();
  const opener = useRef<HTMLButtonElement>(null);
  // A dialog gives the focus back to what has it when it opens, and the item of the menu is about to go.
  const openDialog = (dialog: 'save' | 'manage'): void => {
    opener.current?.focus();
    setOpen(dialog);
  };
  const current = findView(views, search, hiddenColumns);
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild ref={opener}>
          <Button icon={<Bookmark size={15} />} aria-label={current?.name ?? 'Views'} title="Views">
            <span className="max-w-36 truncate max-lg:hidden">{current?.name ?? 'Views'}</span>
          </Button>
        </DropdownMenu.Trigger>
        <MenuContent className="scroll-thin max-h-[70dvh] max-w-72 overflow-y-auto">
          <DropdownMenu.RadioGroup value={current?.name ?? ''}>
            {views.map((view) => (
              <DropdownMenu.RadioItem
                key={view.name}
                value={view.name}
                className={MENU_ITEM}
                onSelect={() => openView(view)}
              >
                <MenuCheck isChecked={view === current} />
                <span className="truncate">{view.name}</span>
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
          {views.length > 0 && <DropdownMenu.Separator className="my-1 border-t border-line" />}
          <DropdownMenu.Item className={MENU_ITEM} onSelect={() => openDialog('save')}>
            Save this view…
          </DropdownMenu.Item>
          <DropdownMenu.Item className={MENU_ITEM} disabled={views.length === 0} onSelect={() => openDialog('manage')}>
            Rename or delete views…
          </DropdownMenu.Item>
        </MenuContent>
      </DropdownMenu.Root>
      {open === 'save' && <SaveView search={search} onClose={() => setOpen(null)} />}
      {open === 'manage' && <ManageViews onClose={() => setOpen(null)} />}
    </>
  );
}

/** Asks for the name under which the list is to be found again as it is now. */
function SaveView({ search, onClose }: { search: GenerationSearch; onClose: () => void }) {
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
        <LabelledInput
          label="Name"
          error={problem}
          maxLength={MAX_NAME}
          value={name}
          onChange={(text) => {
            setName(text);
            setProblem(undefined);
          }}
        />
        <p className="text-ink-soft">
          The view includes {toContents(search)}, and the current columns. The view is stored in this browser; to share
          the list, send the address.
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
  const time = isPeriod(range) ? toPeriodTexts(range).label.toLowerCase() : own;
  return (
    <>
      {line === '' ? 'no filter' : <code className="font-mono text-xs break-all">{line}</code>}, {time}
    </>
  );
}

/** The last change, with the view as it was before. */
interface Done {
  readonly text: string;
  readonly name: string;
  readonly before: SavedView;
}

/** Renames saved views and deletes them; the last of either can be undone. */
function ManageViews({ onClose }: { onClose: () => void }) {
  const { views } = usePreferences();
  const [done, setDone] = useState<Done | null>(null);
  const undo = (): void => {
    if (done === null) return;
    const { name, before } = done;
    setPreferences({ views: putView(removeView(getPreferences().views, name), before) });
    setDone(null);
  };
  return (
    <Dialog title="Saved views" onClose={onClose} actions={<Button onClick={onClose}>Done</Button>}>
      {views.length === 0 && <p className="text-sm text-ink-faint">No views left.</p>}
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
  const [name, setName] = useState(view.name);
  const [problem, setProblem] = useState<string>();
  const rename = (event: FormEvent): void => {
    event.preventDefault();
    const next = name.trim();
    const views = renameView(getPreferences().views, view.name, next);
    if (typeof views === 'string') return setProblem(views);
    setPreferences({ views });
    onDone({ text: `Renamed “${view.name}” to “${next}”`, name: next, before: view });
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

const MAX_NAME = 60;

/** The filters, the span of time and the columns under a name. What is open or compared is no part of it. */
export function toView(
  name: string,
  { open: _open, compare: _compare, tab: _tab, ...search }: GenerationSearch,
  hiddenColumns: SavedView['hiddenColumns'],
): SavedView {
  return { name, search, hiddenColumns };
}

/** The views with this one among them, in the order of their names; one of the same name is replaced. */
export function putView(views: readonly SavedView[], view: SavedView): SavedView[] {
  return [...removeView(views, view.name), view].toSorted((a, b) => a.name.localeCompare(b.name));
}

export const removeView = (views: readonly SavedView[], name: string): SavedView[] =>
  views.filter((view) => view.name !== name);

/** The views with one under another name; what is wrong with the name where it cannot be had. */
export function renameView(views: readonly SavedView[], name: string, next: string): readonly SavedView[] | string {
  const view = views.find((candidate) => candidate.name === name);
  if (view === undefined || name === next) return views;
  const problem = findNameProblem(views, next);
  return problem ?? putView(removeView(views, name), { ...view, name: next });
}

/** Why a name cannot be given to a new view; undefined where it can. */
export function findNameProblem(views: readonly SavedView[], name: string): string | undefined {
  if (name.trim() === '') return 'A view needs a name';
  return views.some((view) => view.name === name) ? `A view named “${name}” already exists` : undefined;
}

/** The view that shows just this, if there is one. */
export function findView(
  views: readonly SavedView[],
  search: GenerationSearch,
  hiddenColumns: SavedView['hiddenColumns'],
): SavedView | undefined {
  const current = toText(toView('', search, hiddenColumns));
  return views.find((view) => toText(view) === current);
}

function toText({ search, hiddenColumns }: SavedView): string {
  const filters = Object.entries(search).toSorted(([a], [b]) => a.localeCompare(b));
  return JSON.stringify([filters, hiddenColumns?.toSorted((a, b) => a.localeCompare(b))]);
}
