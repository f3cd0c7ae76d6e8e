import { type RefObject, useLayoutEffect, useRef } from 'react';

interface RowFocus<Around extends HTMLElement> {
  /** Props of the element around the rows and the control that adds one, which is marked with `data-add`. */
  readonly around: { readonly ref: RefObject<Around | null>; readonly 'data-rows': '' };
  /** To be called before the row at this place is removed. */
  readonly beforeRemoval: (at: number) => void;
  /** To be called before the row at this place is moved. */
  readonly beforeMove: (at: number, by: -1 | 1) => void;
}

/**
 * Keeps the focus in a list whose rows are removed and moved in place. When a row goes, the focus goes to the button of
 * the next row, else of the last one, else to the control that adds one: without this, it falls to the page, and the
 * keyboard begins at the top again. When a row moves, the focus follows it. Lists inside of the rows are left alone.
 */
export function useRowFocus<Around extends HTMLElement = HTMLDivElement>(
  /** Finds the button of a row. */
  selector = '[data-remove]',
): RowFocus<Around> {
  const ref = useRef<Around>(null);
  const removal = useRef<{ readonly at: number; readonly count: number } | null>(null);
  const move = useRef<{ readonly to: number; readonly by: -1 | 1 } | null>(null);
  const find = (wanted: string): readonly HTMLElement[] =>
    [...(ref.current?.querySelectorAll<HTMLElement>(wanted) ?? [])].filter(
      (found) => found.closest('[data-rows]') === ref.current,
    );
  useLayoutEffect(() => {
    if (move.current !== null) find(`[data-move="${move.current.by}"]`)[move.current.to]?.focus();
    move.current = null;
    if (removal.current === null) return;
    const { at, count } = removal.current;
    const buttons = find(selector);
    // It may take a request until the row goes.
    if (buttons.length >= count) return;
    removal.current = null;
    const hasFocus = document.activeElement !== null && document.activeElement !== document.body;
    if (!hasFocus) (buttons[at] ?? buttons.at(-1) ?? find('[data-add]')[0])?.focus();
  });
  return {
    around: { ref, 'data-rows': '' },
    beforeRemoval: (at) => void (removal.current = { at, count: find(selector).length }),
    beforeMove: (at, by) => void (move.current = { to: at + by, by }),
  };
}
