import type {
  ProviderHistory,
  ProviderHistoryBucket,
  ProviderHistoryFigures,
  ProviderLastError,
} from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';

import { describePast, listFailures } from '../../../features/providers/describe-history.ts';
import { providerMessages } from '../../../features/providers/messages.ts';
import { HOUR_MS } from '../../../format/days.ts';
import { formatUsd, formatUsdInColumn } from '../../../format/money.ts';
import { formatCount, formatDuration, formatPercent } from '../../../format/quantity.ts';
import { formatFull, formatRelative } from '../../../format/time.ts';
import { Badge } from '../../../parts/badge.tsx';
import { formatSpan } from '../../../parts/charts/chart-series.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { Loaded } from '../../../parts/messages/loaded.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { providersMessages } from '../messages.ts';
import { type HistorySpan, providerHistoryQuery } from './history-queries.ts';
import { HourStrip } from './hour-strip.tsx';

const SPANS = ['day', 'week'] as const satisfies readonly HistorySpan[];
const PRESSED = 'aria-pressed:bg-accent-soft aria-pressed:text-accent';

/** What became of the calls to a provider, also before the gateway started: hours as bars, kinds of failures, figures. */
export function ProviderHistorySection({ slug, name }: { slug: string; name: string }) {
  const t = providersMessages().history;
  const [span, setSpan] = useState<HistorySpan>('day');
  const [isTable, setIsTable] = useState(false);
  const history = useQuery(providerHistoryQuery(slug, span));
  return (
    <section aria-label={t.title} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <div role="group" aria-label={t.time} className="flex gap-1">
          {SPANS.map((value) => (
            <Button
              key={value}
              look="quiet"
              aria-pressed={value === span}
              className={PRESSED}
              onClick={() => setSpan(value)}
            >
              {t.spans[value]}
            </Button>
          ))}
        </div>
        {history.data?.data.totals.calls !== 0 && (
          <Button
            look="quiet"
            aria-pressed={isTable}
            className={`ml-auto ${PRESSED}`}
            onClick={() => setIsTable(!isTable)}
          >
            {t.table}
          </Button>
        )}
      </div>
      <Loaded what={t.what} failure={t.failure} query={history} data={history.data} isFlush>
        {(past) => <History slug={slug} name={name} past={past.data} isTable={isTable} />}
      </Loaded>
    </section>
  );
}

interface HistoryProps {
  readonly slug: string;
  readonly name: string;
  readonly past: ProviderHistory['data'];
  readonly isTable: boolean;
}

function History({ slug, name, past, isTable }: HistoryProps) {
  const t = providersMessages().history;
  const words = providerMessages().failures;
  const navigate = useNavigate();
  const { totals, buckets, last_error: lastError } = past;
  const label = t.label(showControls(name));
  const list = ({ start }: ProviderHistoryBucket): void => {
    const to = new Date(Date.parse(start) + HOUR_MS).toISOString();
    // The calls that fell back from it, too, which count as another provider's.
    void navigate({ to: '/generations', search: { from: start, to, where: `endpoint:${slug}:*,${slug}/*` } });
  };
  const failures = listFailures(totals);
  return (
    <>
      <p className="text-sm">{describePast(past)}.</p>
      {totals.calls === 0 ? (
        // A strip of hours without bars has nothing to read, and its hint nothing to point at.
        <p className="flex min-h-28 items-center justify-center rounded-lg bg-raised/60 px-4 text-center text-sm text-ink-faint">
          {t.emptyHint}
        </p>
      ) : isTable ? (
        <HourTable label={label} hours={buckets} onPick={list} />
      ) : (
        <HourStrip label={label} hours={buckets} onPick={list} />
      )}
      {failures.length > 0 && (
        <ul aria-label={t.kinds} className="flex flex-wrap gap-1.5">
          {failures.map(([kind, count]) => (
            <li key={kind}>
              <Badge tone={kind === 'rate_limited' ? 'caution' : 'bad'} title={words[kind].meaning}>
                {formatCount(count)} {words[kind].label}
              </Badge>
            </li>
          ))}
        </ul>
      )}
      {totals.calls > 0 && (
        <Facts
          facts={[
            [t.uptime, totals.uptime === null ? '—' : formatPercent(totals.uptime)],
            [t.firstToken, toPair(totals.first_token_p50, totals.first_token_p95)],
            ...toOutput(totals),
            [t.spent, formatUsd(totals.cost)],
            [t.opened, totals.openings === 0 ? t.never : t.times(totals.openings)],
          ]}
        />
      )}
      {lastError !== null && <LastError error={lastError} />}
    </>
  );
}

/** Beside the first token it says something only where some calls were no streams. */
function toOutput(totals: ProviderHistoryFigures): [string, string][] {
  const { latency_p50: p50, latency_p95: p95, first_token_p50: token50, first_token_p95: token95 } = totals;
  return p50 === token50 && p95 === token95 ? [] : [[providersMessages().history.firstOutput, toPair(p50, p95)]];
}

const toPair = (p50: number | null, p95: number | null): string =>
  p50 === null ? '—' : providersMessages().history.pair(formatDuration(p50), formatDuration(p95));

function LastError({ error }: { error: ProviderLastError }) {
  const t = providersMessages().history;
  const words = providerMessages().failures;
  const { at, kind, status, code, message, model, generation_id: id } = error;
  return (
    <div className="rounded-lg border border-line p-3 text-sm">
      <p className="flex flex-wrap items-center gap-x-2">
        <span className="font-medium">{t.lastFailure}</span>
        <span className="text-ink-faint" title={formatFull(at)}>
          {formatRelative(at)}
        </span>
        <Badge tone={kind === 'rate_limited' ? 'caution' : 'bad'} title={words[kind].meaning}>
          {words[kind].label}
        </Badge>
      </p>
      <p className="mt-1 break-words text-ink-soft">{message === null ? t.notStored(code) : showControls(message)}</p>
      <p className="mt-1 flex flex-wrap gap-x-3 text-xs text-ink-faint">
        <span>{status === null ? t.noResponse : t.status(status)}</span>
        <span className="break-all">{showControls(model)}</span>
        <Link to="/generations/$id" params={{ id }} className="text-accent underline">
          {t.view}
        </Link>
      </p>
    </div>
  );
}

interface HourTableProps {
  readonly label: string;
  readonly hours: readonly ProviderHistoryBucket[];
  readonly onPick: (hour: ProviderHistoryBucket) => void;
}

/** The numbers of the bars, the newest first; hours without calls are left out. */
function HourTable({ label, hours, onPick }: HourTableProps) {
  const t = providersMessages().history;
  const words = providerMessages().failures;
  const called = hours.filter(({ calls }) => calls > 0).toReversed();
  if (called.length === 0) return <p className="text-sm text-ink-faint">{t.nothing}</p>;
  return (
    <div tabIndex={0} role="region" aria-label={t.asTable(label)} className="scroll-thin max-h-64 overflow-auto">
      <table className="figures w-full text-xs">
        <thead className="sticky top-0 bg-surface">
          <tr className="text-left text-ink-faint">
            <th scope="col" className="py-1 pr-4 font-medium">
              {t.hour}
            </th>
            {t.heads.map((head) => (
              <th key={head} scope="col" className="py-1 pr-4 text-right font-medium whitespace-nowrap">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {called.map((hour) => {
            const fromMs = Date.parse(hour.start);
            const kinds = listFailures(hour).map(([kind]) => words[kind].label);
            return (
              <tr key={hour.start} className="border-t border-line/60">
                <th scope="row" className="pr-4 text-left font-normal whitespace-nowrap">
                  <button
                    type="button"
                    title={t.list}
                    className="min-h-6 rounded text-accent underline"
                    onClick={() => onPick(hour)}
                  >
                    {formatSpan({ fromMs, toMs: fromMs + HOUR_MS })}
                  </button>
                </th>
                <td className="pr-4 text-right">{formatCount(hour.calls)}</td>
                <td className="pr-4 text-right whitespace-nowrap">
                  {formatCount(hour.failed)}{' '}
                  {kinds.length > 0 && <span className="text-ink-soft">{kinds.join(', ')}</span>}
                </td>
                <td className="pr-4 text-right whitespace-nowrap">
                  {hour.uptime === null ? '—' : formatPercent(hour.uptime)}
                </td>
                <td className="pr-4 text-right whitespace-nowrap">
                  {formatDuration(hour.first_token_p50)}, {formatDuration(hour.first_token_p95)}
                </td>
                <td className="text-right">{formatUsdInColumn(hour.cost)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
