import { type RefObject, useEffectEvent, useLayoutEffect, useState } from 'react';
import { createStore, useStore } from 'zustand';

/** A panel on the page that says why something could not be loaded. */
interface ShownFailure {
  readonly element: HTMLElement;
  /** Equal for panels that would say the same. */
  readonly reason: string;
  readonly retry: () => void;
}

const shown = createStore<readonly ShownFailure[]>(() => []);

/** What lies over the rest of the page or beside it, and so has to tell everything itself. */
const PLACES = 'dialog, [data-panel], main';

/** Panels that say the same in the same part of the page, in their order there. */
function findAlike(all: readonly ShownFailure[], of: HTMLElement | null): readonly ShownFailure[] {
  const own = all.find(({ element }) => element === of);
  if (own === undefined) return [];
  const place = own.element.closest(PLACES);
  return all
    .filter(({ element, reason }) => reason === own.reason && element.closest(PLACES) === place)
    .toSorted((one, other) =>
      (one.element.compareDocumentPosition(other.element) & Node.DOCUMENT_POSITION_FOLLOWING) === 0 ? 1 : -1,
    );
}

/**
 * Whether an earlier panel on the page says the same already, and what loads everything again that failed alike. A
 * gateway that fails does so for every card of a screen, and one of them is enough to say why and what to do.
 */
export function useSharedFailure(
  panel: RefObject<HTMLElement | null>,
  reason: string | undefined,
  retry: () => void,
): { readonly isTold: boolean; readonly retryAll: () => void } {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const retryLatest = useEffectEvent(retry);
  // Before it is drawn, so that none is drawn whole only to be cut a moment later.
  useLayoutEffect(() => {
    const { current } = panel;
    if (current === null || reason === undefined) return;
    const own: ShownFailure = { element: current, reason, retry: () => retryLatest() };
    setElement(current);
    shown.setState([...shown.getState(), own], true);
    return () =>
      shown.setState(
        shown.getState().filter((other) => other !== own),
        true,
      );
  }, [panel, reason]);
  const isTold = useStore(shown, (all) => {
    const first = findAlike(all, element)[0];
    return first !== undefined && first.element !== element;
  });
  return {
    isTold,
    retryAll() {
      const alike = findAlike(shown.getState(), element);
      if (alike.length === 0) retry();
      for (const failure of alike) failure.retry();
    },
  };
}
