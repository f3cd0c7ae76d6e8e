import { type RefObject, useLayoutEffect, useRef } from 'react';

/** So far from its end, in pixels, a text still counts as read at its end. */
const END_MARGIN_PX = 24;

/**
 * Scrolls to the end of growing content while `isGrowing`, until the user scrolls away from it; scrolling back to the
 * end resumes it. The ref and the handler belong to the scrolling element.
 */
export function useFollowEnd(
  text: string,
  isGrowing: boolean,
): { readonly ref: RefObject<HTMLDivElement | null>; readonly onScroll: () => void } {
  const ref = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (text === '') isAtEnd.current = true;
    // Further than there is anything: to ask how far would lay out the page once more.
    if (isGrowing && isAtEnd.current && ref.current !== null) ref.current.scrollTop = Number.MAX_SAFE_INTEGER;
  }, [text, isGrowing]);
  return {
    ref,
    onScroll() {
      if (ref.current === null) return;
      const { scrollTop, scrollHeight, clientHeight } = ref.current;
      isAtEnd.current = scrollHeight - scrollTop - clientHeight < END_MARGIN_PX;
    },
  };
}
