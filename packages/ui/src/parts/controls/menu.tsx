import { DropdownMenu } from 'radix-ui';
import { type ReactNode, useEffect, useRef, useState } from 'react';

import { classNames } from '../class-names.ts';

interface MenuItem {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  readonly onSelect: () => void;
}

/** A button that opens a list of actions. Not modal: locking the scroll would need a style element. */
export function Menu({ trigger, items }: { trigger: ReactNode; items: readonly MenuItem[] }) {
  const opener = useRef<HTMLButtonElement>(null);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild ref={opener}>
        {trigger}
      </DropdownMenu.Trigger>
      <MenuContent>
        {items.map(({ label, icon, isDangerous, isDisabled, onSelect }) => (
          <DropdownMenu.Item
            key={label}
            disabled={isDisabled === true}
            onSelect={() => {
              // A dialog that opens now gives the focus back to what has it, and the item is about to go.
              opener.current?.focus();
              onSelect();
            }}
            className={classNames(MENU_ITEM, isDangerous === true && 'text-bad')}
          >
            {icon}
            {label}
          </DropdownMenu.Item>
        ))}
      </MenuContent>
    </DropdownMenu.Root>
  );
}

/** What the items of a menu look like. */
export const MENU_ITEM =
  'flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2.5 text-sm outline-none data-[disabled]:opacity-50 data-[highlighted]:bg-raised';

/** What a menu shows. */
export function MenuContent({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <MenuPortal>
      <DropdownMenu.Content
        align="end"
        sideOffset={4}
        className={classNames('card z-40 min-w-44 p-1 shadow-xl', className)}
      >
        {children}
      </DropdownMenu.Content>
    </MenuPortal>
  );
}

/** Opens a menu above everything, yet within the landmark of the screen: nothing of a page is to lie outside of all. */
export function MenuPortal({ children }: { children: ReactNode }) {
  const [place, setPlace] = useState<HTMLElement | null>(null);
  useEffect(() => setPlace(document.querySelector('main')), []);
  return place === null ? null : <DropdownMenu.Portal container={place}>{children}</DropdownMenu.Portal>;
}

/** What stands before an item that is chosen. */
export const MenuCheck = ({ isChecked }: { isChecked: boolean }) => (
  <span aria-hidden="true" className="w-4 shrink-0 text-accent">
    {isChecked ? '✓' : ''}
  </span>
);
