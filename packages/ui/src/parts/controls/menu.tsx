import { DropdownMenu } from 'radix-ui';
import { type ReactNode, useRef } from 'react';

import { MenuPortal } from './menu-portal.tsx';

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
      <MenuPortal>
        <DropdownMenu.Content align="end" sideOffset={4} className="card z-40 min-w-44 p-1 shadow-xl">
          {items.map(({ label, icon, isDangerous, isDisabled, onSelect }) => (
            <DropdownMenu.Item
              key={label}
              disabled={isDisabled === true}
              onSelect={() => {
                // A dialog that opens now gives the focus back to what has it, and the item is about to go.
                opener.current?.focus();
                onSelect();
              }}
              className={`flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2.5 text-sm outline-none data-[disabled]:opacity-50 data-[highlighted]:bg-raised ${isDangerous === true ? 'text-bad' : ''}`}
            >
              {icon}
              {label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </MenuPortal>
    </DropdownMenu.Root>
  );
}
