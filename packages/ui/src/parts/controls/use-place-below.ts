import { type CSSProperties, type RefObject, useLayoutEffect, useState } from 'react';

const GAP = 4;
const MAX_HEIGHT = 264;
/** Less room than this below, and more above: it opens upwards. */
const LEAST_HEIGHT = 160;

/**
 * The place of a list below an element, or above it where there is more room, as fixed coordinates: what scrolls around
 * it does not cut it off. Null while it is closed.
 */
export function usePlaceBelow(element: RefObject<HTMLElement | null>, isOpen: boolean): CSSProperties | null {
  const [place, setPlace] = useState<CSSProperties | null>(null);
  useLayoutEffect(() => {
    if (!isOpen) {
      setPlace(null);
      return;
    }
    const measure = (): void => {
      const rect = element.current?.getBoundingClientRect();
      if (rect === undefined) return;
      const below = innerHeight - rect.bottom - 2 * GAP;
      const above = rect.top - 2 * GAP;
      const isAbove = below < LEAST_HEIGHT && above > below;
      const side = isAbove ? { bottom: innerHeight - rect.top + GAP } : { top: rect.bottom + GAP };
      setPlace({
        ...side,
        left: rect.left,
        width: rect.width,
        maxHeight: Math.min(MAX_HEIGHT, Math.max(80, isAbove ? above : below)),
      });
    };
    measure();
    // The field grows with what is chosen, and whatever is around it scrolls.
    const observer = new ResizeObserver(measure);
    if (element.current !== null) observer.observe(element.current);
    addEventListener('scroll', measure, { capture: true, passive: true });
    addEventListener('resize', measure);
    return () => {
      observer.disconnect();
      removeEventListener('scroll', measure, { capture: true });
      removeEventListener('resize', measure);
    };
  }, [element, isOpen]);
  return place;
}
