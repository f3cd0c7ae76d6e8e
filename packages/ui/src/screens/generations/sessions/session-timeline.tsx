import { useQueries, type UseQueryResult } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useMemo, useState } from 'react';

import { formatUsd } from '../../../format/money.ts';
import { formatCompact, formatCount, formatDuration } from '../../../format/quantity.ts';
import { formatMoment } from '../../../format/time.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Loading } from '../../../parts/messages/states.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { TimelineChart } from '../../../parts/timeline/timeline-chart.tsx';
import { sessionsMessages } from './messages.tsx';
import { toolUseQuery } from './session-queries.ts';
import {
  type SessionCall,
  splitByPauses,
  toGrowth,
  toSessionTimeline,
  type ToolSum,
  toToolSums,
  type ToolUse,
} from './to-session-timeline.ts';

/** Tokens of prompts whose contents are loaded without being asked for: about two megabytes. */
const MAX_UNASKED_TOKENS = 500_000;

/** The requests of a session on one axis of time, with the tools between them, a part at a time. */
export function SessionTimeline({ calls }: { calls: readonly SessionCall[] }) {
  const t = sessionsMessages().timeline;
  const parts = useMemo(() => splitByPauses(calls), [calls]);
  const [chosen, setChosen] = useState(0);
  const at = Math.min(chosen, parts.length - 1);
  const part = parts[at] ?? [];
  const firstPlace = parts.slice(0, at).reduce((sum, { length }) => sum + length, 1);
  const { tools, isLoaded, isWaiting, load } = useTools(part);
  // Requests that come later bring their tools later, and the rows before stay.
  const [shownAt, setShownAt] = useState<number>();
  if (isLoaded && shownAt !== at) setShownAt(at);
  const sums = useMemo(() => toToolSums(part, tools), [part, tools]);
  const timeline = useMemo(() => toSessionTimeline({ calls: part, firstPlace, tools }), [part, firstPlace, tools]);
  const [first] = part;
  if (first === undefined) return null;
  const lead = (
    <header className="flex flex-wrap items-center gap-2 text-sm">
      <h2 className="font-semibold">{t.title}</h2>
      {isWaiting && (
        <Button look="quiet" onClick={load}>
          {t.loadTools}
        </Button>
      )}
      {parts.length > 1 && (
        <div role="group" aria-label={t.parts} className="flex items-center gap-1 text-ink-soft">
          <Button
            look="quiet"
            aria-label={t.earlier}
            disabled={at === 0}
            icon={<ChevronLeft size={15} />}
            onClick={() => setChosen(at - 1)}
          />
          <span className="figures">
            {t.part(at + 1, parts.length)} · {formatMoment(first.created_at)} · {formatDuration(timeline.home.toMs)}
          </span>
          <Button
            look="quiet"
            aria-label={t.later}
            disabled={at === parts.length - 1}
            icon={<ChevronRight size={15} />}
            onClick={() => setChosen(at + 1)}
          />
        </div>
      )}
    </header>
  );
  return (
    <section aria-label={t.title} className="card flex flex-col overflow-hidden">
      <div
        className="scroll-thin max-h-[28rem] overflow-y-auto min-[112rem]:max-h-[max(28rem,calc(100vh-26rem))]"
        // Rows of tools stand between those of requests, so both come at once; their room is there before.
        style={{ minHeight: `min(28rem, ${AROUND_ROWS_PX + ROW_PX * countExpectedRows(part)}px)` }}
      >
        {shownAt === at ? (
          <TimelineChart key={at} label={t.chart} timeline={timeline} lead={lead} />
        ) : (
          <div className="px-4 pt-2">
            {lead}
            <Loading what={t.toolCalls} />
          </div>
        )}
      </div>
      <GrowthLines calls={calls} />
      <ToolSums sums={sums} />
    </section>
  );
}

const ROW_PX = 24;
/** Of the heading, the axis and the words for a row. */
const AROUND_ROWS_PX = 116;

/** A row for each request, and one for the tool of each that stopped for one. */
const countExpectedRows = (part: readonly SessionCall[]): number =>
  part.length + part.filter(({ finish_reason: reason }) => reason === 'tool_calls').length;

/** Null for contents that cannot be read. The same function each time: a new one would have everything drawn anew. */
const toData = (results: readonly Pick<UseQueryResult<ToolUse | null>, 'data' | 'error'>[]) =>
  results.map(({ data, error }) => (error === null ? data : null));

interface LoadedTools {
  /** Those of all requests that stopped for a tool have come, or there are none; or they are not loaded unasked. */
  readonly isLoaded: boolean;
  readonly tools: ReadonlyMap<string, ToolUse>;
  /** They are many, and loaded when they are asked for. */
  readonly isWaiting: boolean;
  readonly load: () => void;
}

/** The tools of the requests of a part. */
export function useTools(part: readonly SessionCall[]): LoadedTools {
  const [isAsked, setIsAsked] = useState(false);
  const isMuch = part.reduce((sum, { tokens_prompt: tokens }) => sum + (tokens ?? 0), 0) > MAX_UNASKED_TOKENS;
  const isWaiting = isMuch && !isAsked;
  const loaded = useQueries({
    queries: part.map(({ id }) => ({ ...toolUseQuery(id), enabled: !isWaiting })),
    combine: toData,
  });
  const tools = useMemo(
    () => new Map(part.flatMap(({ id }, at) => (loaded[at] == null ? [] : [[id, loaded[at]] as const]))),
    [part, loaded],
  );
  const isLoaded = isWaiting || part.every((_, at) => loaded[at] !== undefined);
  return { tools, isLoaded, isWaiting, load: () => setIsAsked(true) };
}

/** How the context has grown, and what all of it has cost, request by request. */
function GrowthLines({ calls }: { calls: readonly SessionCall[] }) {
  const t = sessionsMessages().timeline;
  const { context, cost } = useMemo(() => toGrowth(calls), [calls]);
  if (calls.length < 2) return null;
  const last = (values: readonly number[]): number => values.at(-1) ?? 0;
  return (
    <div className="grid gap-4 px-4 py-3 sm:grid-cols-2">
      <Line
        title={t.context}
        note={t.grew(formatCompact(context[0] ?? 0), formatCompact(last(context)), formatCompact(Math.max(...context)))}
        values={context}
        tone="text-accent"
      />
      <Line title={t.cost} note={formatUsd(last(cost))} values={cost} tone="text-ink-soft" />
    </div>
  );
}

/** What each tool was called for in this part; where a wide window has room for it below the axis. */
function ToolSums({ sums }: { sums: readonly ToolSum[] }) {
  const t = sessionsMessages().timeline;
  if (sums.length === 0) return null;
  return (
    <table className="figures mx-4 mb-3 hidden text-sm min-[112rem]:table">
      <caption className="pb-1 text-left text-xs font-medium">{t.tools}</caption>
      <thead className="text-xs text-ink-faint">
        <tr className="border-b border-line">
          <th scope="col" className="py-1 text-left font-normal">
            {t.toolName}
          </th>
          <th scope="col" className={NUMBER}>
            {t.calls}
          </th>
          <th scope="col" className={NUMBER}>
            {t.inAll}
          </th>
          <th scope="col" className={NUMBER}>
            {t.longest}
          </th>
          <th scope="col" className={NUMBER}>
            {t.withoutResult}
          </th>
        </tr>
      </thead>
      <tbody>
        {sums.map(({ name, count, tookMs, longestMs, open }) => (
          <tr key={name} className="border-b border-line/60 last:border-0">
            <th scope="row" className="max-w-0 truncate py-1.5 text-left font-normal" title={showControls(name)}>
              {showControls(name)}
            </th>
            <td className={NUMBER}>{formatCount(count)}</td>
            <td className={NUMBER}>{formatDuration(tookMs)}</td>
            <td className={NUMBER}>{formatDuration(longestMs)}</td>
            <td className={NUMBER}>{open === 0 ? '—' : formatCount(open)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const NUMBER = 'w-28 py-1 pl-3 text-right font-normal';

interface LineProps {
  readonly title: string;
  readonly note: string;
  readonly values: readonly number[];
  readonly tone: string;
}

const WIDTH = 400;
const HEIGHT = 48;

function Line({ title, note, values, tone }: LineProps) {
  const highest = Math.max(...values, Number.MIN_VALUE);
  const points = values.map((value, at) => {
    const x = (at / Math.max(1, values.length - 1)) * WIDTH;
    return `${x.toFixed(1)},${(HEIGHT - 2 - (value / highest) * (HEIGHT - 4)).toFixed(1)}`;
  });
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <figcaption className="figures flex flex-wrap justify-between gap-x-3 text-xs text-ink-soft">
        <span className="font-medium text-ink">{title}</span>
        <span>{note}</span>
      </figcaption>
      <svg
        aria-hidden="true"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={`h-12 w-full border-b border-line min-[112rem]:h-28 ${tone}`}
      >
        <polyline
          points={points.join(' ')}
          fill="none"
          stroke="currentColor"
          strokeWidth={1.5}
          vectorEffect="non-scaling-stroke"
        />
      </svg>
    </figure>
  );
}
