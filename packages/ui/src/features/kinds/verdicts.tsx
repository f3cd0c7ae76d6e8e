import { Badge } from '../../parts/badge.tsx';
import { classNames } from '../../parts/class-names.ts';
import { showControls } from '../../parts/text/show-controls.ts';
import { kindMessages } from './messages.ts';
import { ScoreBar } from './score-bar.tsx';

export interface Verdict {
  readonly flagged: boolean;
  readonly categories: Readonly<Record<string, boolean>>;
  readonly category_scores: Readonly<Record<string, number>>;
}

/** What a moderation found, category by category, the likeliest first. */
export function Verdicts({ verdicts }: { verdicts: readonly Verdict[] }) {
  const { verdict: t } = kindMessages();
  return (
    <div className="flex flex-col gap-4">
      {verdicts.map((verdict, at) => (
        <section key={at} aria-label={t.input(at + 1)} className="flex flex-col gap-2">
          <p className="flex items-center gap-2 text-sm">
            {verdicts.length > 1 && <span className="font-medium">{t.input(at + 1)}</span>}
            <Badge tone={verdict.flagged ? 'bad' : 'good'}>{verdict.flagged ? t.flagged : t.clear}</Badge>
          </p>
          <Scores verdict={verdict} />
        </section>
      ))}
    </div>
  );
}

function Scores({ verdict: { categories, category_scores: scores } }: { verdict: Verdict }) {
  const { verdict: t } = kindMessages();
  const sorted = Object.entries(scores).toSorted((a, b) => b[1] - a[1]);
  return (
    <ul aria-label={t.scores} className="flex max-w-2xl flex-col gap-1">
      {sorted.map(([category, score]) => {
        const isFlagged = categories[category] === true;
        return (
          <li key={category} className="grid grid-cols-[minmax(7rem,13rem)_1fr_3.5rem] items-center gap-3 text-sm">
            <span className={classNames('truncate', isFlagged && 'font-medium text-bad')} title={category}>
              {showControls(category)}
            </span>
            <ScoreBar share={score} isBad={isFlagged} />
            <span className="figures text-right text-xs text-ink-soft">{score.toFixed(3)}</span>
          </li>
        );
      })}
    </ul>
  );
}
