import { Columns3 } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { KeyboardEvent, ReactNode } from 'react';

import { setPreferences, usePreferences } from '../../../app/preferences.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { MENU_ITEM, MenuCheck } from '../../../parts/controls/menu-item.tsx';
import { MenuContent } from '../../../parts/controls/open-menu.tsx';
import { moveBeside } from '../../../parts/table/column-order.ts';
import type { Column } from '../../../parts/table/table-row.tsx';
import { toggled } from '../../../parts/toggled.ts';
import { generationsMessages } from './messages.ts';
import { keepWidth } from './use-columns.ts';

interface ColumnsMenuProps {
  readonly columns: readonly Pick<Column<never>, 'id' | 'header'>[];
  /** Ids of columns that are not shown. */
  readonly hidden: readonly string[];
}

/** Which columns are shown, in which order, and how close the rows are. This browser remembers all of it. */
export function ColumnsMenu({ columns, hidden }: ColumnsMenuProps) {
  const t = generationsMessages().columns;
  const { hiddenColumns, columnOrder, columnWidths, density } = usePreferences();
  const ids = columns.map(({ id }) => id);
  // What dragging a head or its edge does, without a pointer.
  const onKeyDown = (event: KeyboardEvent<HTMLElement>, id: string): void => {
    const isResized = event.key === 'ArrowLeft' || event.key === 'ArrowRight';
    const step = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!event.altKey || step === undefined) return;
    event.preventDefault();
    if (isResized) return resize(id, step);
    const neighbour = ids[ids.indexOf(id) + step];
    if (neighbour === undefined) return;
    const item = event.currentTarget;
    setPreferences({ columnOrder: moveBeside(ids, id, { id: neighbour, side: step < 0 ? 'before' : 'after' }) });
    // An element that is moved in the document loses the focus.
    requestAnimationFrame(() => item.focus());
  };
  const isOwn = hiddenColumns !== null || columnOrder.length > 0 || Object.keys(columnWidths).length > 0;
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button icon={<Columns3 size={15} />} aria-label={t.title} title={t.title}>
          <span className="@max-5xl:hidden">{t.title}</span>
        </Button>
      </DropdownMenu.Trigger>
      <MenuContent className="scroll-thin max-h-[70dvh] max-w-64 overflow-y-auto">
        {columns.map(({ id, header }) => (
          <Item
            key={id}
            isChecked={!hidden.includes(id)}
            onChange={() => setPreferences({ hiddenColumns: toggled(hidden, id) })}
            onKeyDown={(event) => onKeyDown(event, id)}
          >
            {header}
          </Item>
        ))}
        <DropdownMenu.Separator className="my-1 border-t border-line" />
        <Item
          isChecked={density === 'compact'}
          onChange={(isCompact) => setPreferences({ density: isCompact ? 'compact' : 'comfortable' })}
        >
          {t.compact}
        </Item>
        <DropdownMenu.Item
          disabled={!isOwn}
          className={MENU_ITEM}
          onSelect={() => setPreferences({ hiddenColumns: null, columnOrder: [], columnWidths: {} })}
        >
          <span className="w-4" />
          {t.reset}
        </DropdownMenu.Item>
        <DropdownMenu.Label className="px-2.5 pt-1 pb-1.5 text-xs text-ink-faint">{t.hint}</DropdownMenu.Label>
      </MenuContent>
    </DropdownMenu.Root>
  );
}

const STEP_PX = 16;
const LEAST_PX = 48;

/** Makes a column that is shown a little wider or narrower. */
function resize(id: string, step: number): void {
  const px = document.querySelector(`[data-column="${id}"]`)?.getBoundingClientRect().width;
  if (px !== undefined) keepWidth(id, Math.max(LEAST_PX, Math.round(px) + step * STEP_PX));
}

interface ItemProps {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly onKeyDown?: (event: KeyboardEvent<HTMLElement>) => void;
  readonly children: ReactNode;
}

function Item({ isChecked, onChange, onKeyDown, children }: ItemProps) {
  return (
    <DropdownMenu.CheckboxItem
      checked={isChecked}
      onSelect={(event) => event.preventDefault()}
      onCheckedChange={onChange}
      onKeyDown={onKeyDown}
      className={MENU_ITEM}
    >
      <MenuCheck isChecked={isChecked} />
      {children}
    </DropdownMenu.CheckboxItem>
  );
}
