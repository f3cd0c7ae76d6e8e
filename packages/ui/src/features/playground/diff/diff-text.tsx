import { lazy, Suspense, useMemo } from 'react';

import { PlainText } from '../../../parts/text/plain-text.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { promptingMessages } from '../messages.tsx';

interface DiffTextProps {
  readonly before: string;
  readonly after: string;
  /** What `before` is the text of. */
  readonly than: string;
  /** As it is written, where marks of Markdown are a part of the text. */
  readonly isPlain?: boolean;
}

/** What a text has that another has not, and the other way round: underlined, and struck out. */
const Diff = lazy(async () => {
  const { diffMarkdown, diffTexts } = await import('./diff-markdown.tsx');
  return {
    default: function Diff({ before, after, than, isPlain = false }: DiffTextProps) {
      const { diff: t } = promptingMessages();
      const read = useMemo(() => (isPlain ? null : diffMarkdown(before, after, MARKS)), [isPlain, before, after]);
      const diff = useMemo(() => (read === null ? diffTexts(before, after) : null), [read, before, after]);
      if (read !== null) {
        return (
          <>
            <Summary than={than} isSame={read.isSame} unit={read.unit} />
            <div className="prose-said text-sm break-words">{read.shown}</div>
          </>
        );
      }
      if (diff === null) {
        return (
          <>
            <p className="text-xs text-ink-faint">{t.tooDifferent}</p>
            <PlainText text={after} />
          </>
        );
      }
      const isSame = diff.pieces.every(({ type }) => type === 'same');
      return (
        <>
          <Summary than={than} isSame={isSame} unit={diff.unit} />
          <div className="text-sm break-words whitespace-pre-wrap">
            {diff.pieces.map(({ type, text }, at) =>
              type === 'same' ? (
                <span key={at}>{showControls(text)}</span>
              ) : type === 'added' ? (
                <ins key={at} className={ADDED}>
                  {showControls(text)}
                </ins>
              ) : (
                <del key={at} className={REMOVED}>
                  {showControls(text)}
                </del>
              ),
            )}
          </div>
        </>
      );
    },
  };
});

const ADDED = 'rounded bg-good-soft text-good underline decoration-2 underline-offset-2';
const REMOVED = 'rounded bg-bad-soft text-bad line-through decoration-2';

const MARKS = { added: ADDED, removed: REMOVED };

function Summary({ than, isSame, unit }: { than: string; isSame: boolean; unit: 'words' | 'lines' }) {
  const { diff: t } = promptingMessages();
  const only = [<ins className={ADDED}>{t.onlyHere}</ins>, <del className={REMOVED}>{t.onlyThere}</del>] as const;
  return <p className="text-xs text-ink-faint">{isSame ? t.same(than) : t.differences(than, unit, ...only)}</p>;
}

export function DiffText(props: DiffTextProps) {
  return (
    <Suspense fallback={<PlainText text={props.after} />}>
      <Diff {...props} />
    </Suspense>
  );
}
