import { X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from 'react';

import { useShortcut } from '../../app/shortcuts.ts';
import { Button } from '../controls/button.tsx';
import { partMessages } from '../part-messages.ts';
import { useMedia } from '../use-width.ts';

interface SidePanelProps {
  readonly title: ReactNode;
  /** Read out as the name of the panel. */
  readonly label: string;
  readonly onClose: () => void;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** Panel for the selected row: beside the list, or over it as a modal dialog where the window is narrow. */
export function SidePanel({ title, label, onClose, actions, children }: SidePanelProps) {
  const panel = useRef<HTMLElement>(null);
  // Same width as Tailwind's `lg`, from which on the classes below put the panel beside the list.
  const isModal = !useMedia('(min-width: 64rem)');
  useFocusWithin(panel, isModal);
  const t = partMessages();
  useShortcut({ keys: 'Escape', label: t.actions.closePanel, group: t.thisScreen }, onClose);
  // From a field the first Escape leads to the panel, so that nothing half written is lost by one key.
  const onKeyDown = (event: KeyboardEvent): void => {
    const { target } = event;
    const isField = target instanceof HTMLElement && target.matches('input, textarea, select');
    // React also reports events of a dialog or menu inside the panel here.
    const isOwn = target instanceof HTMLElement && target.closest('dialog, [role=menu]') === null;
    if (event.key !== 'Escape' || event.defaultPrevented || !isField || !isOwn) return;
    event.preventDefault();
    panel.current?.focus();
  };
  return (
    <section
      ref={panel}
      data-panel
      role={isModal ? 'dialog' : undefined}
      aria-modal={isModal || undefined}
      aria-label={label}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="fixed inset-0 z-30 flex flex-col border-line bg-surface outline-none lg:static lg:z-auto lg:w-[min(46%,44rem)] lg:shrink-0 lg:border-l"
    >
      <header className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2.5 sm:flex-nowrap">
        <div className="min-w-24 flex-1">{title}</div>
        {actions !== undefined && (
          <div className="order-3 flex w-full flex-wrap items-center gap-1 sm:order-2 sm:w-auto sm:justify-end">
            {actions}
          </div>
        )}
        <div className="order-2 sm:order-3">
          <Button look="quiet" aria-label={t.actions.closePanel} icon={<X size={16} />} onClick={onClose} />
        </div>
      </header>
      <div className="flex min-h-0 flex-1 flex-col overflow-hidden">{children}</div>
    </section>
  );
}

/**
 * Keeps the focus in the panel while it covers the list, and gives it back to the list, whose row is still the current
 * one, when the panel goes: before it is gone, so that a key that follows at once finds the focus there.
 */
function useFocusWithin(panel: { readonly current: HTMLElement | null }, isModal: boolean): void {
  useLayoutEffect(() => {
    if (!isModal || panel.current === null) return;
    const end = trapFocus(panel.current);
    panel.current.focus();
    return end;
  }, [panel, isModal]);
  useLayoutEffect(() => {
    const element = panel.current;
    const screen = toScreen();
    return () => {
      const { activeElement } = document;
      const isLost = activeElement === null || activeElement === document.body || element?.contains(activeElement);
      if (isLost === true && toScreen() === screen) document.querySelector<HTMLElement>('main [role=grid]')?.focus();
    };
  }, [panel]);
}

/** The address without what is chosen on the screen. */
const toScreen = (): string | undefined => location.hash.split('?')[0];

/**
 * Makes all of the page but one element unreachable by keys and screen readers; the returned function ends that. For
 * what must stay on the page, where menus and messages open: a modal `<dialog>` would lie above those.
 */
function trapFocus(element: HTMLElement): () => void {
  const covered: HTMLElement[] = [];
  const { body } = document;
  for (let at = element; at.parentElement !== null && at.parentElement !== body; at = at.parentElement) {
    for (const other of at.parentElement.children) {
      const isLeft = other === at || !(other instanceof HTMLElement) || other.inert;
      // Messages stay within reach: one may offer to undo what was done.
      if (isLeft || other.querySelector('[data-messages]') !== null) continue;
      other.inert = true;
      covered.push(other);
    }
  }
  return () => {
    for (const other of covered) other.inert = false;
  };
}
