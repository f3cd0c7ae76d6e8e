import type { Generation, StreamTimeline } from '@model-gateway/core/wire';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';

import { callApi } from '../../../api/call-api.ts';
import type { GenerationContent } from '../../../api/types.ts';
import { formatCount, formatDuration } from '../../../format/quantity.ts';
import { ErrorPanel } from '../../../parts/messages/error-panel.tsx';
import { EmptyState, Loading } from '../../../parts/messages/states.tsx';
import { ArrivalTable } from './arrival-table.tsx';
import { createReplay } from './create-replay.ts';
import { ReplayControls } from './replay-controls.tsx';
import { ReplayedText } from './replayed-text.tsx';
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
}

/** When each piece of a streamed completion came, and the completion as it was at any moment. */
export function StreamTab({ generation, output }: StreamTabProps) {
  const isStreamed = generation.streamed === true;
  const { data: timeline, error, refetch } = useQuery({ ...timelineQuery(generation.id), enabled: isStreamed });
  const arrivals = useMemo(
    () => (timeline ? toArrivals({ timeline, output, generation }) : []),
    [timeline, output, generation],
  );
  if (!isStreamed) {
    return (
      <EmptyState title="The answer was not streamed">
        Only what is asked for with “stream”: true comes piece by piece. This call took{' '}
        {formatDuration(generation.generation_time)} as a whole.
      </EmptyState>
    );
  }
  if (error !== null) {
    return (
      <div className="p-4">
        <ErrorPanel error={error} title="The timeline could not be loaded" onRetry={() => void refetch()} />
      </div>
    );
  }
  if (timeline === undefined) return <Loading what="the timeline" />;
  if (timeline === null) {
    return (
      <EmptyState title="When its pieces came was not recorded">
        The answer was streamed, but by a version of the gateway that did not yet take note of the time. Later calls
        have it.
      </EmptyState>
    );
  }
  if (arrivals.length === 0) {
    return (
      <EmptyState title="No text came">
        The answer ended before its first word, or has tool calls alone; those are under Conversation.
      </EmptyState>
    );
  }
  return <ReplayedStream arrivals={arrivals} output={output} intervalMs={timeline.interval_ms} />;
}

interface ReplayedStreamProps extends Pick<StreamTabProps, 'output'> {
  readonly arrivals: readonly Arrival[];
  readonly intervalMs: number;
}

function ReplayedStream({ arrivals, output, intervalMs }: ReplayedStreamProps) {
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
        <span>
          {formatCount(pieces)} {pieces === 1 ? 'piece' : 'pieces'} in {formatDuration(durationMs)}
        </span>
        {longest !== undefined && (
          <button
            type="button"
            onClick={() => seek(longest)}
            className="min-h-6 text-accent underline underline-offset-2"
          >
            Longest gap {formatDuration(longest.gapMs)}, until {formatDuration(longest.atMs)}
          </button>
        )}
        <span className="text-ink-faint">What came within {intervalMs} ms counts as one piece.</span>
      </div>
      <div className="flex min-h-60 flex-3 flex-col">
        <ArrivalTable arrivals={arrivals} at={at} onSeek={seek} />
      </div>
    </div>
  );
}
