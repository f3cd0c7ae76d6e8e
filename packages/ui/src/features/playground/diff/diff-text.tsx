import { lazy, Suspense, useMemo } from 'react';

import { PlainText } from '../../../parts/text/plain-text.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { promptingMessages } from '../messages.tsx';

interface DiffTextProps {
  readonly before: string;
  readonly after: string;
  /** What `before` is the text of. */
  readonly than: string;
}

/** What a text has that another has not, and the other way round: underlined, and struck out. */
const Diff = lazy(async () => {
  const { diffTexts } = await import('./diff-words.ts');
  return {
    default: function Diff({ before, after, than }: DiffTextProps) {
      const { diff: t } = promptingMessages();
      const diff = useMemo(() => diffTexts(before, after), [before, after]);
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
          <p className="text-xs text-ink-faint">
            {isSame
              ? t.same(than)
              : t.differences(
                  than,
                  diff.unit,
                  <ins className={ADDED}>{t.onlyHere}</ins>,
                  <del className={REMOVED}>{t.onlyThere}</del>,
                )}
          </p>
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

export function DiffText(props: DiffTextProps) {
  return (
    <Suspense fallback={<PlainText text={props.after} />}>
      <Diff {...props} />
    </Suspense>
  );
}
