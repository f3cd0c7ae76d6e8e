import { lazy, Suspense } from 'react';

import { PlainText } from './plain-text.tsx';

/** Loads what reads markdown, which is larger than most screens and needed by few of them at first. */
export const loadMarkdown = () => import('./markdown.tsx');

const Markdown = lazy(async () => ({ default: (await loadMarkdown()).Markdown }));

/** Shows text of a model or a caller as `Markdown` does; as it was written, until that is loaded. */
export function FormattedText({ text }: { text: string }) {
  return (
    <Suspense fallback={<PlainText text={text} />}>
      <Markdown text={text} />
    </Suspense>
  );
}
