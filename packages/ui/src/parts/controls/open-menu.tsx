import { DropdownMenu } from 'radix-ui';
import { type ReactNode, useEffect, useRef, useState } from 'react';

import { classNames } from '../class-names.ts';
import { MENU_ITEM, type MenuProps } from './menu-item.tsx';

/** A `Menu` that opens at once. Not modal: locking the scroll would need a style element. */
export function OpenMenu({ trigger, items }: MenuProps) {
  const opener = useRef<HTMLButtonElement>(null);
  return (
    <DropdownMenu.Root modal={false} defaultOpen>
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
