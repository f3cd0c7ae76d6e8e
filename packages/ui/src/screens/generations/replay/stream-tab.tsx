import type { Generation, StreamTimeline } from '@model-gateway/core/wire';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Pause, Play } from 'lucide-react';
import { type KeyboardEvent, memo, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';

import { callApi } from '../../../api/call-api.ts';
import type { GenerationContent } from '../../../api/types.ts';
import { formatCount, formatDuration } from '../../../format/quantity.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/controls/button.tsx';
import { Choice } from '../../../parts/controls/field.tsx';
import { NotLoaded } from '../../../parts/messages/loaded.tsx';
import { EmptyState } from '../../../parts/messages/states.tsx';
import type { Column } from '../../../parts/table/table-row.tsx';
import { VirtualTable } from '../../../parts/table/virtual-table.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { ErrorNote } from '../detail/conversation.tsx';
import { type Replay, type ReplaySpeed, type ReplayState, createReplay } from './create-replay.ts';
import { replayMessages } from './messages.ts';
import { type Arrival, arrivalAt, toArrivals } from './to-arrivals.ts';

/** How often a replay changes where less motion is wanted. */
const CALM_STEP_MS = 500;

const timelineQuery = (id: string) =>
  queryOptions({
    queryKey: ['generation', id, 'timeline'],
    queryFn: async ({ signal }) =>
      (await callApi<{ data: StreamTimeline | null }>(`/admin/v1/generations/${id}/timeline`, { signal })).data,
  });

interface StreamTabProps {
  readonly generation: Generation;
  readonly output: GenerationContent['output'];
  /** What the response broke off with; null where it did not. */
  readonly error: GenerationContent['error'];
}

/** When each piece of a streamed completion came, and the completion as it was at any moment. */
export function StreamTab({ generation, output, error: recorded }: StreamTabProps) {
  const t = replayMessages();
  const isStreamed = generation.streamed === true;
  const query = useQuery({ ...timelineQuery(generation.id), enabled: isStreamed });
  const { data: timeline, error } = query;
  const arrivals = useMemo(
    () => (timeline ? toArrivals({ timeline, output, generation }) : []),
    [timeline, output, generation],
  );
  if (!isStreamed) {
    return (
      <EmptyState title={t.notStreamed}>{t.notStreamedNote(formatDuration(generation.generation_time))}</EmptyState>
    );
  }
  if (timeline === undefined || error !== null) return <NotLoaded what={t.what} failure={t.notLoaded} query={query} />;
  if (timeline === null) return <EmptyState title={t.noTimes}>{t.noTimesNote}</EmptyState>;
  if (arrivals.length === 0) {
    return (
      <>
        <EmptyState title={t.noText}>{t.noTextNote}</EmptyState>
        <RecordedError error={recorded} />
      </>
    );
  }
  return (
    <div className="flex h-full flex-col">
      <RecordedError error={recorded} />
      <div className="min-h-0 flex-1">
        <ReplayedStream arrivals={arrivals} output={output} intervalMs={timeline.interval_ms} />
      </div>
    </div>
  );
}

function RecordedError({ error }: Pick<StreamTabProps, 'error'>) {
  return (
    error !== null && (
      <div className="px-4 pt-2">
        <ErrorNote error={error} />
      </div>
    )
  );
}

interface ReplayedStreamProps extends Pick<StreamTabProps, 'output'> {
  readonly arrivals: readonly Arrival[];
  readonly intervalMs: number;
}

function ReplayedStream({ arrivals, output, intervalMs }: ReplayedStreamProps) {
  const t = replayMessages();
  const durationMs = arrivals.at(-1)?.atMs ?? 0;
  const [replay] = useState(() => {
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    return createReplay({
      schedule: requestAnimationFrame,
      now: () => performance.now(),
      durationMs,
      speed: isCalm ? 'instant' : 1,
      stepMs: isCalm ? CALM_STEP_MS : 0,
    });
  });
  // A replay that is not visible any more must not request frames.
  useEffect(() => () => replay.pause(), [replay]);
  const state = useStore(replay);
  const at = arrivalAt(arrivals, state.atMs);
  const seek = useCallback(({ atMs }: Arrival) => replay.seek(atMs), [replay]);
  const longest = arrivals.find(({ isLongestGap }) => isLongestGap);
  const pieces = arrivals.length - 1;
  return (
    <div className="scroll-thin flex h-full flex-col overflow-y-auto">
      <ReplayControls replay={replay} state={state} arrivals={arrivals} at={at} />
      <ReplayedText output={output} arrival={arrivals[at]} isFollowed={state.isPlaying} />
      <div className="figures flex flex-wrap items-center gap-x-3 gap-y-1 border-y border-line px-4 py-1.5 text-xs text-ink-soft">
        <span>{t.pieces(pieces, formatCount(pieces), formatDuration(durationMs))}</span>
        {longest !== undefined && (
          <button
            type="button"
            onClick={() => seek(longest)}
            className="min-h-6 text-accent underline underline-offset-2"
          >
            {t.longestGap(formatDuration(longest.gapMs), formatDuration(longest.atMs))}
          </button>
        )}
        <span className="text-ink-faint">{t.interval(intervalMs)}</span>
      </div>
      <div className="flex min-h-60 flex-3 flex-col">
        <ArrivalTable arrivals={arrivals} at={at} onSeek={seek} />
      </div>
    </div>
  );
}

const SPEEDS: Readonly<Record<'1' | '4' | 'instant', ReplaySpeed>> = { '1': 1, '4': 4, instant: 'instant' };
type SpeedName = keyof typeof SPEEDS;

interface ReplayControlsProps {
  readonly replay: Replay;
  readonly state: ReplayState;
  readonly arrivals: readonly Arrival[];
  /** The last that had come. */
  readonly at: number;
}

/** Plays a response again, or goes to any moment of it. */
function ReplayControls({ replay, state, arrivals, at }: ReplayControlsProps) {
  const t = replayMessages();
  const durationMs = arrivals.at(-1)?.atMs ?? 0;
  const { textLength = 0, reasoningLength = 0 } = arrivals[at] ?? {};
  const position = t.position(formatDuration(state.atMs), formatDuration(durationMs));
  // A step is a piece: a millisecond, as the slider has it by itself, is nothing one could see.
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = STEPS[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const isBetween = by < 0 && (arrivals[at]?.atMs ?? 0) < state.atMs;
    replay.seek(arrivals[isBetween ? at : at + by]?.atMs ?? (by < 0 ? 0 : durationMs));
  };
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
      <Button
        look="primary"
        icon={state.isPlaying ? <Pause size={15} /> : <Play size={15} />}
        onClick={state.isPlaying ? replay.pause : replay.play}
        className="min-w-22"
      >
        {state.isPlaying ? t.pause : t.play}
      </Button>
      <Choice
        label={t.speed}
        value={String(state.speed) as SpeedName}
        options={{ '1': '1×', '4': '4×', instant: t.instant }}
        onChange={(name) => replay.setSpeed(SPEEDS[name])}
      />
      <span className="figures text-sm text-ink-soft">{position}</span>
      <input
        type="range"
        min={0}
        max={durationMs}
        step={1}
        value={Math.round(state.atMs)}
        aria-label={t.moment}
        aria-valuetext={t.momentText(position, formatCount(textLength + reasoningLength))}
        onChange={(event) => replay.seek(Number(event.target.value))}
        onKeyDown={onKeyDown}
        className="h-6 min-w-40 flex-1 basis-full cursor-pointer accent-accent"
      />
    </div>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };

/** More than fits is not laid out again with every piece. */
const MAX_SHOWN_CHARACTERS = 20_000;

interface ReplayedTextProps {
  readonly output: Pick<GenerationContent['output'], 'completion' | 'reasoning'>;
  /** The last that had come; undefined before the first. */
  readonly arrival: Arrival | undefined;
  /** Keeps the end of the text in sight. */
  readonly isFollowed: boolean;
}

/** The completion as far as it had come. It cannot be trusted, and is shown as plain text. */
const ReplayedText = memo(function ReplayedText({ output, arrival, isFollowed }: ReplayedTextProps) {
  const t = replayMessages();
  const scroller = useRef<HTMLDivElement>(null);
  const reasoning = (output.reasoning ?? '').slice(0, arrival?.reasoningLength ?? 0);
  const text = (output.completion ?? '').slice(0, arrival?.textLength ?? 0);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (isFollowed && element !== null) element.scrollTop = element.scrollHeight;
  }, [arrival, isFollowed]);
  return (
    <div
      ref={scroller}
      role="region"
      aria-label={t.textAtMoment}
      tabIndex={0}
      className="scroll-thin mx-4 mb-3 min-h-24 flex-2 overflow-y-auto rounded-lg border border-line bg-surface p-3 text-sm break-words whitespace-pre-wrap outline-offset-[-2px]"
    >
      {arrival === undefined && <span className="text-ink-faint">{t.nothingYet}</span>}
      {reasoning !== '' && <Tail text={reasoning} className="mb-2 border-l-2 border-line pl-2 text-ink-faint" />}
      {text !== '' && <Tail text={text} />}
    </div>
  );
});

function Tail({ text, className }: { text: string; className?: string }) {
  const hidden = Math.max(0, text.length - MAX_SHOWN_CHARACTERS);
  return (
    <div className={className}>
      {hidden > 0 && <p className="text-xs text-ink-faint">{replayMessages().hidden(formatCount(hidden))}</p>}
      {showControls(text.slice(hidden))}
    </div>
  );
}

/** A line shows the beginning of its piece. */
const MAX_CELL_CHARACTERS = 200;

const toColumns = (t: ReturnType<typeof replayMessages>): readonly Column<Arrival>[] => [
  { id: 'at', header: t.columns.at, width: '72px', isNumeric: true, cell: ({ atMs }) => formatDuration(atMs) },
  {
    id: 'gap',
    header: t.columns.gap,
    width: '132px',
    isNumeric: true,
    cell: ({ gapMs, index, isLongestGap }) => (
      <>
        {isLongestGap && <Badge tone="caution">{t.longest}</Badge>} {index === 0 && <Badge>{t.first}</Badge>}{' '}
        {formatDuration(gapMs)}
      </>
    ),
  },
  {
    id: 'characters',
    header: t.columns.characters,
    width: '76px',
    isNumeric: true,
    cell: ({ text, reasoning, ending }) => (ending === null ? formatCount(text.length + reasoning.length) : ''),
  },
  { id: 'text', header: t.columns.text, width: 'minmax(140px,1fr)', cell: (arrival) => <Piece arrival={arrival} /> },
];

const idOf = ({ index }: Arrival): string => String(index);

interface ArrivalTableProps {
  readonly arrivals: readonly Arrival[];
  /** The last that had come at the moment that is shown. */
  readonly at: number;
  readonly onSeek: (arrival: Arrival) => void;
}

/** The pieces of a completion; opening one goes to its moment. Drawn again only when another one has come. */
const ArrivalTable = memo(function ArrivalTable({ arrivals, at, onSeek }: ArrivalTableProps) {
  const t = replayMessages();
  const columns = useMemo(() => toColumns(t), [t]);
  return (
    <VirtualTable
      label={t.table}
      rows={arrivals}
      columns={columns}
      idOf={idOf}
      onOpen={onSeek}
      openId={String(at)}
      isRecycled
    />
  );
});

function Piece({ arrival: { text, reasoning, ending } }: { arrival: Arrival }) {
  if (ending !== null) return <span className="text-ink-faint">{ending}</span>;
  return (
    <span className="font-mono text-xs whitespace-pre">
      {reasoning !== '' && <span className="text-ink-faint">{toLine(reasoning)}</span>}
      {toLine(text)}
    </span>
  );
}

/** On one line; what would not be seen there is. */
function toLine(text: string): string {
  return showControls(text.slice(0, MAX_CELL_CHARACTERS)).replaceAll(/\r?\n/g, '↵').replaceAll('\t', '⇥');
}
