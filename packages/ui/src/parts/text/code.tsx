import { type ComponentType, lazy, Suspense } from 'react';

import { useIsSettled } from '../use-is-settled.ts';
import { showControls } from './show-controls.ts';

interface Marked {
  readonly text: string;
  readonly language: string;
}

let isLoaded = false;
/** Where the colours cannot be loaded, as while the gateway is away, the code is shown without. */
const MarkedCode = lazy(async (): Promise<{ default: ComponentType<Marked> }> => {
  try {
    const { MarkedCode: Colored } = await import('./marked-code.tsx');
    isLoaded = true;
    return { default: Colored };
  } catch {
    return { default: ({ text }) => text };
  }
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
