import { showControls } from '../../parts/text/show-controls.ts';
import { kindMessages } from './messages.ts';
import { ScoreBar } from './score-bar.tsx';

export interface Ranked {
  /** Place of the document in the request, from 0. */
  readonly index: number;
  readonly relevance_score: number;
}

interface RankingProps {
  readonly documents: readonly string[];
  /** The most relevant first. */
  readonly results: readonly Ranked[];
}

/** Documents in the order of their relevance. */
export function Ranking({ documents, results }: RankingProps) {
  const { ranking: t } = kindMessages();
  // Some models have scores beyond 1.
  const highest = Math.max(1, ...results.map((result) => result.relevance_score));
  return (
    <ol aria-label={t.title} className="flex flex-col divide-y divide-line rounded-lg border border-line">
      {results.map((result, at) => (
        <li key={result.index} className="flex items-start gap-3 px-3 py-2">
          <span className="figures w-6 shrink-0 text-right text-sm font-semibold">{at + 1}</span>
          <div className="min-w-0 flex-1">
            <p className="line-clamp-3 text-sm break-words" title={documents[result.index]}>
              {showControls(documents[result.index] ?? t.image)}
            </p>
            <div className="mt-1 flex items-center gap-3">
              <ScoreBar share={result.relevance_score / highest} />
              <span className="figures shrink-0 text-xs" aria-label={t.score(result.relevance_score.toFixed(3))}>
                {result.relevance_score.toFixed(3)}
              </span>
              <span className="figures w-14 shrink-0 text-right text-xs text-ink-faint">{t.was(result.index + 1)}</span>
            </div>
          </div>
        </li>
      ))}
    </ol>
  );
}
