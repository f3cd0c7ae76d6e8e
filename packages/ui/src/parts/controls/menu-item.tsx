import type { ReactElement, ReactNode } from 'react';

import type { ButtonProps } from './button.tsx';

interface MenuItem {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  readonly onSelect: () => void;
}

export interface MenuProps {
  /** The button. */
  readonly trigger: ReactElement<ButtonProps>;
  readonly items: readonly MenuItem[];
}

/** What the items of a menu look like. */
export const MENU_ITEM =
  'flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2.5 text-sm outline-none data-[disabled]:opacity-50 data-[highlighted]:bg-raised';

/** What stands before an item that is chosen. */
export const MenuCheck = ({ isChecked }: { isChecked: boolean }) => (
  <span aria-hidden="true" className="w-4 shrink-0 text-accent">
    {isChecked ? '✓' : ''}
  </span>
);
