import type { RerunOutcomes, RerunTargetReport, RerunVerdict } from '@model-gateway/core/wire';
import type { ReactNode } from 'react';

import { formatUsd } from '../../format/money.ts';
import { formatCompact, formatCount, formatDuration, formatPercent } from '../../format/quantity.ts';
import { showControls } from '../../parts/text/show-controls.ts';
import { toJudgeName } from './judge-name.ts';
import { rerunsMessages } from './messages.ts';
import type { RerunReport } from './rerun-queries.ts';
import { toTargetName } from './rerun-state.tsx';

/** What became of each target against the original calls: verdicts, cost, latency, tokens and errors. */
export function TargetResults({ rerun: { results } }: { rerun: RerunReport }) {
  const { page: t } = rerunsMessages();
  return (
    <div className="card min-w-0">
      <div className="flex flex-wrap items-baseline gap-x-3 px-4 pt-3 pb-1">
        <h2 className="text-base font-semibold">{t.results}</h2>
        <p className="text-xs text-ink-faint">{t.resultsNote}</p>
      </div>
      <div
        role="region"
        aria-label={t.results}
        tabIndex={0}
        className="scroll-thin overflow-x-auto outline-offset-[-2px]"
      >
        <table className="figures w-full text-sm">
          <thead>
            <tr className="border-b border-line text-xs text-ink-faint">
              <Head>{t.model}</Head>
              <Head>{t.verdicts}</Head>
              <Head isNumeric>{rerunsMessages().cost}</Head>
              <Head isNumeric>{t.latency50}</Head>
              <Head isNumeric>{t.latency95}</Head>
              <Head isNumeric>{t.tokens}</Head>
              <Head isNumeric>{t.errors}</Head>
            </tr>
          </thead>
          <tbody>
            {results.map((result) => (
              <TargetRow key={result.target} result={result} />
            ))}
          </tbody>
        </table>
      </div>
      <Reasons results={results} />
    </div>
  );
}

const Head = ({ isNumeric = false, children }: { isNumeric?: boolean; children: ReactNode }) => (
  <th scope="col" className={`px-4 py-2 font-normal whitespace-nowrap ${isNumeric ? 'text-right' : 'text-left'}`}>
    {children}
  </th>
);

function TargetRow({ result }: { result: RerunTargetReport }) {
  const { provider, outcomes, judges, errors, figures, original_figures: original } = result;
  const toTokens = (of: RerunTargetReport['figures']): string =>
    `${formatCompact(of.prompt_tokens)} / ${formatCompact(of.completion_tokens)}`;
  return (
    <tr className="border-b border-line/70 align-top last:border-b-0">
      <th scope="row" className="max-w-60 min-w-32 px-4 py-3 text-left font-normal">
        <span className="font-mono text-xs break-all">{toTargetName(result)}</span>
        {provider !== null && <span className="block text-xs text-ink-faint">{showControls(provider)}</span>}
      </th>
      <td className="min-w-72 px-4 py-3">
        <Outcomes outcomes={outcomes} />
        {judges.length > 1 && <Judges judges={judges} />}
      </td>
      <Figure now={formatUsd(figures.cost_usd)} before={formatUsd(original.cost_usd)} />
      <Figure now={formatDuration(figures.latency_p50_ms)} before={formatDuration(original.latency_p50_ms)} />
      <Figure now={formatDuration(figures.latency_p95_ms)} before={formatDuration(original.latency_p95_ms)} />
      <Figure now={toTokens(figures)} before={toTokens(original)} />
      <td className={`px-4 py-3 text-right ${errors > 0 ? 'text-bad' : ''}`}>{formatCount(errors)}</td>
    </tr>
  );
}

/** A figure of the new calls, and below it that of the same calls as they were. */
function Figure({ now, before }: { now: string; before: string }) {
  return (
    <td className="px-4 py-3 text-right whitespace-nowrap">
      {now}
      <span className="block text-xs text-ink-faint" title={rerunsMessages().page.original(before)}>
        {before}
      </span>
    </td>
  );
}

const OUTCOMES: readonly (readonly [RerunVerdict, string])[] = [
  ['win', 'bg-good'],
  ['tie', 'bg-line-strong'],
  ['loss', 'bg-bad'],
];

/** A bar for each outcome, with a line across it from the lower to the upper end of its interval. */
function Outcomes({ outcomes }: { outcomes: RerunOutcomes }) {
  const { page: t } = rerunsMessages();
  if (outcomes.judged === 0) return <span className="text-ink-faint">{t.noVerdicts}</span>;
  return (
    <dl className="grid grid-cols-[4.5rem_minmax(80px,1fr)_5.5rem] items-center gap-x-2 gap-y-1">
      {OUTCOMES.map(([verdict, color]) => {
        const { count, share, low, high } = outcomes[verdict];
        const percent = toPercent(share);
        const interval = t.interval(percent, toPercent(low), toPercent(high));
        return (
          <div key={verdict} className="contents" title={interval}>
            <dt className="text-xs text-ink-soft">{t.outcome[verdict]}</dt>
            <dd className="contents">
              <span aria-hidden="true" title={interval} className="relative h-2.5 rounded-xs bg-raised">
                <span
                  className={`absolute inset-y-0 left-0 rounded-xs forced-color-adjust-none ${color}`}
                  style={{ width: toWidth(share) }}
                />
                {low !== high && (
                  <span
                    className="absolute inset-y-0.5 flex items-center border-x border-ink"
                    style={{ left: toWidth(low), width: toWidth((high ?? 0) - (low ?? 0)) }}
                  >
                    <span className="w-full border-t border-ink" />
                  </span>
                )}
              </span>
              <span className="text-right text-xs whitespace-nowrap" title={interval}>
                {formatCount(count)} <span className="text-ink-faint">· {percent}</span>
                <span className="sr-only">, {interval}</span>
              </span>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

const toPercent = (share: number | null): string => (share === null ? '—' : formatPercent(share * 100));
const toWidth = (share: number | null): string => `${(share ?? 0) * 100}%`;

/** The same by judge, where several have judged. */
function Judges({ judges }: Pick<RerunTargetReport, 'judges'>) {
  const { page: t } = rerunsMessages();
  return (
    <details className="mt-2 text-xs">
      <summary className="w-fit cursor-pointer rounded text-accent">{t.byJudge}</summary>
      <ul className="mt-1 text-ink-soft">
        {judges.map(({ judge, ...counts }) => (
          <li key={judge}>
            {toJudgeName(judge)}:{' '}
            {OUTCOMES.map(([verdict]) => `${t.outcome[verdict]} ${formatCount(counts[verdict])}`).join(' · ')}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Why items failed, the commonest reasons first. */
function Reasons({ results }: Pick<RerunReport, 'results'>) {
  const { page: t } = rerunsMessages();
  const failing = results.filter(({ error_reasons: reasons }) => reasons.length > 0);
  if (failing.length === 0) return null;
  return (
    <ul className="border-t border-line px-4 py-3 text-sm">
      {failing.flatMap(({ target, model, preset, error_reasons: reasons }) =>
        reasons.map(({ reason, count }) => (
          <li key={`${target} ${reason}`} className="break-words">
            <span className="font-mono text-xs">{toTargetName({ model, preset })}</span>{' '}
            <span className="figures text-bad">{t.times(formatCount(count))}</span> {showControls(reason)}
          </li>
        )),
      )}
    </ul>
  );
}
