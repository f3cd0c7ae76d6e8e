import { lazy, Suspense } from 'react';

import { loadMarkdown } from './load-markdown.ts';
import { PlainText } from './plain-text.tsx';
import { StreamedText } from './streamed-text.tsx';

const Markdown = lazy(async () => ({ default: (await loadMarkdown()).Markdown }));
const StreamedMarkdown = lazy(async () => ({ default: (await loadMarkdown()).StreamedMarkdown }));

interface FormattedTextProps {
  readonly text: string;
  /** It was on the screen before, formatted: a moment without would be a jump. */
  readonly isAtOnce?: boolean;
}

/** Shows text of a model or a caller as `Markdown` does; as it was written, where loading that takes long. */
export function FormattedText({ text, isAtOnce = false }: FormattedTextProps) {
  return (
    <Suspense
      fallback={
        <div className="appears-late">
          <PlainText text={text} />
        </div>
      }
    >
      <Markdown text={text} isAtOnce={isAtOnce} />
    </Suspense>
  );
}

/** Shows text of a model while it comes, formatted as far as it can be. */
export function StreamedFormattedText({ text }: { text: string }) {
  return (
    <Suspense fallback={<StreamedText text={text} />}>
      <StreamedMarkdown text={text} />
    </Suspense>
  );
}
