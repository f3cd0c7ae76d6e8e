import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

import { NotLoaded } from '../../../parts/messages/loaded.tsx';
import { TimelineChart } from '../../../parts/timeline/timeline-chart.tsx';
import type { Timeline } from '../../../parts/timeline/timeline.ts';
import { deliveriesQuery, destinationsQuery } from '../../destinations/destination-queries.ts';
import { callTimelineQuery } from '../../generations/content/generation-queries.ts';
import type { Deliveries } from '../../generations/timeline/to-delivery-rows.ts';
import { videoMessages } from '../messages.ts';

interface VideoTimelineChartProps {
  /** Undefined before it is loaded; null for a job of a former version. */
  readonly timeline: Timeline | null | undefined;
  readonly error: Error | null;
  readonly onRetry: () => void;
}

/** A video job on one axis of time. */
export function VideoTimelineChart({ timeline, error, onRetry }: VideoTimelineChartProps) {
  const { times: t } = videoMessages();
  if (timeline === undefined)
    return <NotLoaded what={t.what} failure={t.notLoaded} query={{ error, refetch: onRetry }} />;
  if (timeline === null) return <p className="px-4 py-2 text-sm text-ink-faint">{t.none}</p>;
  return <TimelineChart label={t.label} timeline={timeline} />;
}

/** A delivery follows the end of a film within a second or two, or never. */
const ARRIVING_STEP_MS = 2000;
const MAX_LOOKS = 10;

/** The deliveries of a film's generation, which is there once its job has ended. */
export function useFilmDeliveries(generationId: string, hasEnded: boolean): Deliveries {
  const { data: destinations } = useQuery(destinationsQuery);
  const isAsked = hasEnded && destinations !== undefined && destinations.length > 0;
  const { data: report } = useQuery({
    ...callTimelineQuery(generationId),
    enabled: isAsked,
    refetchInterval: ({ state }) =>
      state.data?.arrivals.length === 0 && state.dataUpdateCount < MAX_LOOKS && ARRIVING_STEP_MS,
  });
  const { data: deliveries } = useQuery({ ...deliveriesQuery(), enabled: isAsked });
  return useMemo(
    () => ({
      destinations: new Map((destinations ?? []).map(({ id, name }) => [id, name])),
      arrivals: report?.arrivals ?? [],
      waiting: deliveries?.data.filter(({ generation_ids: ids }) => ids.includes(generationId)) ?? [],
    }),
    [destinations, report, deliveries, generationId],
  );
}
