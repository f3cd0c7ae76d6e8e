import { lazy, Suspense } from 'react';

import { useIsSettled } from '../use-is-settled.ts';
import { showControls } from './show-controls.ts';

let isLoaded = false;
const MarkedCode = lazy(async () => {
  const { MarkedCode: Marked } = await import('./marked-code.tsx');
  isLoaded = true;
  return { default: Marked };
});

/** Longer code stays as it is: marking it would hold up the page. */
const MAX_MARKED = 20_000;

interface CodeProps {
  readonly text: string;
  /** What it is written in, as Markdown names it: `ts`, `bash`. */
  readonly language: string | undefined;
}

/** Code whose words have colours, once the page has come to rest. It takes the same room without them. */
export function Code({ text, language }: CodeProps) {
  const isSettled = useIsSettled();
  const shown = showControls(text);
  if (language === undefined || text.length > MAX_MARKED || !(isSettled || isLoaded)) return shown;
  return (
    <Suspense fallback={shown}>
      <MarkedCode text={shown} language={language} />
    </Suspense>
  );
}
