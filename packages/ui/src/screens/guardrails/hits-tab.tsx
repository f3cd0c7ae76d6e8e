import type { Guardrail, GuardrailHitList } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';

import { BucketTable } from '../../features/activity/bucket-table.tsx';
import { toPeriodTexts } from '../../format/days.ts';
import { formatCount } from '../../format/quantity.ts';
import { formatMoment } from '../../format/time.ts';
import { Badge } from '../../parts/badge.tsx';
import { createChartLink } from '../../parts/charts/chart-link.ts';
import type { Buckets, Series, TimeSpan } from '../../parts/charts/chart-series.ts';
import { LinkedChart } from '../../parts/charts/linked-chart.tsx';
import { Swatch } from '../../parts/charts/swatch.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { Choice } from '../../parts/controls/field.tsx';
import { NotLoaded } from '../../parts/messages/loaded.tsx';
import { Moment } from '../../parts/text/moment.tsx';
import { useIsSettled } from '../../parts/use-is-settled.ts';
import { HIT_SPANS, type HitSpan, hitsQuery } from './guardrail-queries.ts';
import { describeEffects, EFFECT_COLORS, EFFECT_NAMES, listEffects, toShortRule } from './guardrail-words.ts';
import { guardrailsMessages } from './messages.ts';
import { trialMessages } from './trial-messages.ts';

/** What the guardrail did, over time; a bar leads to its calls. */
export function HitsTab({ guardrail: { id } }: { guardrail: Guardrail }) {
  const t = trialMessages().hits;
  const [span, setSpan] = useState<HitSpan>('24h');
  const query = useQuery(hitsQuery(id, span));
  const { data: hits } = query;
  return (
    <div className="scroll-thin flex h-full flex-col gap-4 overflow-y-auto p-4">
      <div>
        <Choice label={t.span} value={span} options={toSpanLabels()} onChange={setSpan} />
      </div>
      {(hits === undefined || query.error !== null) && <NotLoaded what={t.what} query={query} isFlush />}
      {hits !== undefined && (
        <>
          <HitsChart hits={hits} guardrailId={id} />
          <RefusedCalls refusals={hits.refusals ?? []} />
        </>
      )}
    </div>
  );
}

const toSpanLabels = () =>
  Object.fromEntries(HIT_SPANS.map((name) => [name, toPeriodTexts(name).short])) as Record<HitSpan, string>;

const formatWhole = (value: number): string => (Number.isInteger(value) ? formatCount(value) : '');

function HitsChart({ hits, guardrailId }: { hits: GuardrailHitList; guardrailId: string }) {
  const t = trialMessages().hits;
  const { effects } = guardrailsMessages();
  const navigate = useNavigate();
  const [link] = useState(createChartLink);
  const [isTable, setIsTable] = useState(false);
  const isSettled = useIsSettled();
  const [sum] = hits.data;
  const series = useMemo(() => toSeries(hits), [hits]);
  const buckets = useMemo(() => toBuckets(hits), [hits]);
  const where = `guardrail:${guardrailId}`;
  const list = ({ fromMs, toMs }: TimeSpan): void =>
    void navigate({
      to: '/generations',
      search: { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), where },
    });
  const totals = sum === undefined ? '' : describeEffects(sum.totals);
  const title = totals === '' ? t.none : totals;
  return (
    <section aria-label={t.title} className="flex flex-col gap-2">
      <div className="flex items-center gap-2">
        <h3 className="min-w-0 flex-1 text-sm font-semibold">
          {t.title}
          {totals === '' && <span className="font-normal text-ink-faint">: {t.none}</span>}
        </h3>
        <Button look="quiet" className="text-xs" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
          {t.table}
          <span className="sr-only">{t.ofHits}</span>
        </Button>
      </div>
      {isTable ? (
        <BucketTable label={t.title} buckets={buckets} series={series} formatValue={formatCount} onPick={list} />
      ) : (
        <LinkedChart
          label={t.chart(title)}
          buckets={isSettled ? buckets : NO_BUCKETS}
          series={series}
          height={200}
          formatValue={formatCount}
          formatAxis={formatWhole}
          link={link}
          onPick={list}
        />
      )}
      {sum !== undefined && totals !== '' && (
        <ul className="flex flex-col gap-1 text-sm">
          {listEffects(sum.totals).map(([effect, number]) => (
            <li
              key={effect}
              className="flex items-center gap-2"
              onPointerEnter={() => link.set({ highlighted: effect })}
              onPointerLeave={() => link.set({ highlighted: null })}
            >
              <Swatch series={{ color: EFFECT_COLORS[effect], shape: 'bar' }} />
              <span>
                <b className="figures font-medium">{formatCount(number)}</b> {effects[effect].count}
                <span className="text-ink-faint">: {effects[effect].about}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="text-sm">
        <Link to="/generations" search={{ from: hits.from, to: hits.to, where }} className="text-accent underline">
          {t.list}
        </Link>
      </p>
    </section>
  );
}

const NO_BUCKETS: Buckets = { starts: [], ms: 1 };

const toBuckets = ({ data: [sum], from, bucket_ms: ms }: GuardrailHitList): Buckets => ({
  starts: (sum?.buckets ?? []).map((_, at) => Date.parse(from) + at * ms),
  ms,
});

/** The strongest lie at the bottom. Effects that there were none of are left out. */
function toSeries({ data: [sum] }: GuardrailHitList): readonly Series[] {
  const { effects } = guardrailsMessages();
  if (sum === undefined) return [];
  return EFFECT_NAMES.filter((effect) => sum.totals[effect] > 0).map((effect) => ({
    key: effect,
    label: effects[effect].label,
    color: EFFECT_COLORS[effect],
    shape: 'bar',
    values: sum.buckets.map((counts) => counts[effect]),
  }));
}

/** The latest requests that were refused. They have no generation, so no other list has them. */
function RefusedCalls({ refusals }: { refusals: NonNullable<GuardrailHitList['refusals']> }) {
  const t = trialMessages().hits;
  const { effects } = guardrailsMessages();
  if (refusals.length === 0) return null;
  return (
    <section aria-label={t.refused}>
      <h3 className="text-sm font-semibold">{t.refused}</h3>
      <p className="mb-1 text-xs text-ink-faint">{t.refusedNote}</p>
      <ul className="flex flex-col">
        {refusals.map(({ at, effect, rule, key_name: keyName, key_hash: hash, model }, place) => (
          <li
            key={`${at} ${place}`}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line/60 py-1.5 text-sm"
          >
            <Moment at={at} className="figures text-ink-faint">
              {formatMoment(at)}
            </Moment>
            <span className="min-w-24 flex-1 truncate">{keyName ?? hash?.slice(0, 8) ?? '—'}</span>
            {model !== null && <span className="max-w-48 truncate text-ink-soft">{model}</span>}
            <Badge tone="bad" title={rule}>
              {effects[effect].label}: {toShortRule(rule)}
            </Badge>
          </li>
        ))}
      </ul>
    </section>
  );
}
