import { Bookmark } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useRef, useState } from 'react';

import { usePreferences } from '../../../app/preferences.ts';
import type { GenerationSearch } from '../../../features/generations/search/generation-search.ts';
import { useOpenView } from '../../../features/generations/search/use-open-view.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { MenuPortal } from '../../../parts/controls/menu.tsx';
import { ManageViews } from './manage-views.tsx';
import { SaveView } from './save-view.tsx';
import { findView } from './saved-views.ts';

const ITEM =
  'flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2.5 text-sm outline-none data-[highlighted]:bg-raised data-[disabled]:opacity-50';

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
          <Button icon={<Bookmark size={15} aria-hidden />} aria-label={current?.name ?? 'Views'} title="Views">
            <span className="max-w-36 truncate max-lg:hidden">{current?.name ?? 'Views'}</span>
          </Button>
        </DropdownMenu.Trigger>
        <MenuPortal>
          <DropdownMenu.Content
            align="end"
            sideOffset={4}
            className="card scroll-thin z-40 max-h-[70dvh] max-w-72 min-w-48 overflow-y-auto p-1 shadow-xl"
          >
            <DropdownMenu.RadioGroup value={current?.name ?? ''}>
              {views.map((view) => (
                <DropdownMenu.RadioItem
                  key={view.name}
                  value={view.name}
                  className={ITEM}
                  onSelect={() => openView(view)}
                >
                  <span aria-hidden="true" className="w-4 shrink-0 text-accent">
                    {view === current ? '✓' : ''}
                  </span>
                  <span className="truncate">{view.name}</span>
                </DropdownMenu.RadioItem>
              ))}
            </DropdownMenu.RadioGroup>
            {views.length > 0 && <DropdownMenu.Separator className="my-1 border-t border-line" />}
            <DropdownMenu.Item className={ITEM} onSelect={() => openDialog('save')}>
              Save this view…
            </DropdownMenu.Item>
            <DropdownMenu.Item className={ITEM} disabled={views.length === 0} onSelect={() => openDialog('manage')}>
              Rename or delete views…
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </MenuPortal>
      </DropdownMenu.Root>
      {open === 'save' && <SaveView search={search} onClose={() => setOpen(null)} />}
      {open === 'manage' && <ManageViews onClose={() => setOpen(null)} />}
    </>
  );
}
