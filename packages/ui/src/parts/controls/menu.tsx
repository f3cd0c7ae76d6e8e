import { cloneElement, lazy, type ReactElement, type ReactNode, Suspense, useState } from 'react';

import type { ButtonProps } from './button.tsx';
import type { MenuProps } from './menu-item.tsx';

/** Loads what places a menu beside its button. */
export const loadMenu = () => import('./open-menu.tsx');
const OpenMenu = lazy(async () => ({ default: (await loadMenu()).OpenMenu }));

/** A button that opens a list of actions. */
export function Menu({ trigger, items }: MenuProps) {
  return (
    <LateMenu trigger={trigger} load={loadMenu}>
      <OpenMenu trigger={trigger} items={items} />
    </LateMenu>
  );
}

interface LateMenuProps {
  readonly trigger: ReactElement<ButtonProps>;
  readonly load: () => Promise<unknown>;
  /** The menu with its button, open. Its script is loaded late. */
  readonly children: ReactNode;
}

/**
 * Stands in for a menu until its button is pressed. What places menus beside their buttons is a tenth of the script that
 * the first screen would load, and is loaded when somebody points at one.
 */
export function LateMenu({ trigger, load, children }: LateMenuProps) {
  const [isWanted, setIsWanted] = useState(false);
  const prepare = (): void => void load();
  const button = cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: prepare,
    onFocus: prepare,
    onClick: () => setIsWanted(true),
    onKeyDown: (event) => {
      if (event.key !== 'ArrowDown') return;
      event.preventDefault();
      setIsWanted(true);
    },
  });
  return isWanted ? <Suspense fallback={button}>{children}</Suspense> : button;
}
