import { useEffect, useMemo, useReducer } from 'react';

import { createLineIndex, type LineIndex } from './line-index.ts';

const LINE_WIDTH = 110;
/** Browsers cannot show anything taller than some 33 million pixels. */
const MAX_LINES = 1_500_000;
/** A few milliseconds' worth. */
const LINES_AT_ONCE = 50_000;

/** The lines of a text; of a very long one more and more of them, while the page goes on doing other things. */
export function useLineIndex(text: string): LineIndex {
  const index = useMemo(() => {
    const created = createLineIndex(text, LINE_WIDTH, MAX_LINES);
    created.advance(LINES_AT_ONCE);
    return created;
  }, [text]);
  const [, drawAgain] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const goOn = (): void => {
      if (index.isComplete) return;
      timer = setTimeout(() => {
        index.advance(LINES_AT_ONCE);
        drawAgain();
        goOn();
      });
    };
    goOn();
    return () => clearTimeout(timer);
  }, [index]);
  return index;
}
