import { DropdownMenu } from 'radix-ui';
import { type ReactNode, useEffect, useState } from 'react';

/** Opens a menu above everything, yet within the landmark of the screen: nothing of a page is to lie outside of all. */
export function MenuPortal({ children }: { children: ReactNode }) {
  const [place, setPlace] = useState<HTMLElement | null>(null);
  useEffect(() => setPlace(document.querySelector('main')), []);
  return place === null ? null : <DropdownMenu.Portal container={place}>{children}</DropdownMenu.Portal>;
}
