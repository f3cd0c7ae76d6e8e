import { type MouseEvent, type PointerEvent, useLayoutEffect, useRef } from 'react';

/**
 * Shows a dialog as a modal one while it is mounted. The focus goes to its first field, else to its first button, else
 * to the one that closes it; it stays within, and returns to where it was when the dialog closes.
 *
 * React's `autoFocus` cannot do the first: it acts before the dialog is shown, and showing it moves the focus again.
 */
export function useModal(ref: { readonly current: HTMLDialogElement | null }): void {
  // A layout effect, because the browser gives the focus back only for a dialog that is still in the document.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    const opener = document.activeElement;
    const wrap = (event: KeyboardEvent): void => keepWithin(dialog, event);
    dialog.addEventListener('keydown', wrap);
    dialog.showModal();
    findFirst(dialog)?.focus();
    return () => {
      dialog.removeEventListener('keydown', wrap);
      dialog.close();
      if (opener instanceof HTMLElement) queueMicrotask(() => giveBack(opener));
    };
  }, [ref]);
}

/**
 * What a dialog needs to be told of a click beside it. Text that is selected by a drag which ends there is no such click,
 * although the browser tells the dialog of one: it began within.
 */
export function useClickBeside(onClick: () => void) {
  const beganBeside = useRef(false);
  const isBeside = ({ target, currentTarget }: MouseEvent): boolean => target === currentTarget;
  return {
    onPointerDown: (event: PointerEvent): void => void (beganBeside.current = isBeside(event)),
    onClick(event: MouseEvent): void {
      if (beganBeside.current && isBeside(event)) onClick();
    },
  };
}

/** Called when the page is as it is without the dialog: what was deleted has taken its button with it. */
function giveBack(opener: HTMLElement): void {
  if (opener.isConnected) opener.focus();
  else (document.querySelector<HTMLElement>('main [role=grid]') ?? document.querySelector('main'))?.focus();
}

const FIRST = [
  '[data-first-focus]',
  'input:not(:disabled, [type=checkbox], [type=radio], [type=file], [type=hidden]), select:not(:disabled), textarea:not(:disabled)',
  '[data-dialog-text] button:not(:disabled)',
  // The way out comes before the way on.
  'footer button:not(:disabled)',
  'header button',
];

function findFirst(dialog: HTMLElement): HTMLElement | undefined {
  for (const selector of FIRST) {
    const found = dialog.querySelector<HTMLElement>(selector);
    if (found !== null) return found;
  }
  return undefined;
}

const STOPS =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex="0"]';

/** From the last stop on to the first, and back: the browser would go on to its own controls. */
function keepWithin(dialog: HTMLElement, event: KeyboardEvent): void {
  if (event.key !== 'Tab' || event.ctrlKey || event.altKey || event.metaKey) return;
  const stops = [...dialog.querySelectorAll<HTMLElement>(STOPS)].filter((stop) => stop.checkVisibility());
  const [from, to] = event.shiftKey ? [stops.at(0), stops.at(-1)] : [stops.at(-1), stops.at(0)];
  if (document.activeElement !== from || to === undefined) return;
  event.preventDefault();
  to.focus();
}
