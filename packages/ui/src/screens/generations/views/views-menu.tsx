import { useRouter } from '@tanstack/react-router';
import { Bookmark } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';

import { usePreferences } from '../../../app/preferences.ts';
import { toFilterText } from '../../../features/generations/search/filter-text.ts';
import type { GenerationSearch } from '../../../features/generations/search/generation-search.ts';
import { useOpenView } from '../../../features/generations/search/use-open-view.ts';
import { toPeriodTexts, isPeriod } from '../../../format/days.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { copyText } from '../../../parts/controls/copy-button.tsx';
import { LabelledInput } from '../../../parts/controls/labelled.tsx';
import { MENU_ITEM, MenuCheck } from '../../../parts/controls/menu-item.tsx';
import { MenuContent } from '../../../parts/controls/open-menu.tsx';
import { Dialog } from '../../../parts/dialogs/dialog.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';
import { ManageViews } from './manage-views.tsx';
import { viewsMessages } from './messages.tsx';
import { MAX_NAME, findNameProblem, findView, toView } from './saved-views.ts';
import { useViews } from './use-views.ts';

export function ViewsMenu({ search }: { search: GenerationSearch }) {
  const t = viewsMessages();
  const { hiddenColumns } = usePreferences();
  const { views } = useViews();
  const [open, setOpen] = useState<'save' | 'manage' | null>(null);
  const openView = useOpenView();
  const router = useRouter();
  const opener = useRef<HTMLButtonElement>(null);
  // A dialog gives the focus back to what has it when it opens, and the item of the menu is about to go.
  const openDialog = (dialog: 'save' | 'manage'): void => {
    opener.current?.focus();
    setOpen(dialog);
  };
  const copyLink = (): void => {
    const { search: shared } = toView('', search, null);
    const { href } = router.buildLocation({ to: '/generations', search: shared });
    void copyText(new URL(router.history.createHref(href), location.href).href, t.copiedLink);
  };
  const current = findView(views, search, hiddenColumns);
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild ref={opener}>
          <Button icon={<Bookmark size={15} />} aria-label={current?.name ?? t.title} title={t.title}>
            <span className="max-w-36 truncate @max-5xl:hidden">{current?.name ?? t.title}</span>
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
            {t.save}
          </DropdownMenu.Item>
          {/* The address of the desktop app means nothing elsewhere. */}
          {location.protocol.startsWith('http') && (
            <DropdownMenu.Item className={MENU_ITEM} onSelect={copyLink}>
              {t.copyLink}
            </DropdownMenu.Item>
          )}
          <DropdownMenu.Item className={MENU_ITEM} disabled={views.length === 0} onSelect={() => openDialog('manage')}>
            {t.manage}
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
  const t = viewsMessages();
  const { hiddenColumns } = usePreferences();
  const { views, put, remove } = useViews();
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string>();
  const save = (event: FormEvent): void => {
    event.preventDefault();
    const wanted = name.trim();
    const found = findNameProblem(views, wanted);
    if (found !== undefined) return setProblem(found);
    void put(toView(wanted, search, hiddenColumns));
    showToast({
      tone: 'good',
      title: t.saved(wanted),
      action: { label: t.undo, run: () => void remove(wanted) },
    });
    onClose();
  };
  return (
    <Dialog
      title={t.saveTitle}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button look="primary" type="submit" form="save-view">
            {t.saveAction}
          </Button>
        </>
      }
    >
      <form id="save-view" className="flex flex-col gap-3 text-sm" onSubmit={save}>
        <LabelledInput
          label={t.name}
          error={problem}
          maxLength={MAX_NAME}
          value={name}
          onChange={(text) => {
            setName(text);
            setProblem(undefined);
          }}
        />
        <p className="text-ink-soft">{t.includes(toContents(search))}</p>
      </form>
    </Dialog>
  );
}

function toContents(search: GenerationSearch): ReactNode {
  const t = viewsMessages();
  if (search.pinned !== undefined) return t.pinned;
  const line = toFilterText(search);
  const { range, from, to } = search;
  const own = from === undefined && to === undefined ? t.anyTime : t.ownSpan;
  const time = isPeriod(range) ? `“${toPeriodTexts(range).label}”` : own;
  return (
    <>
      {line === '' ? t.noFilter : <code className="font-mono text-xs break-all">{line}</code>}, {time}
    </>
  );
}
