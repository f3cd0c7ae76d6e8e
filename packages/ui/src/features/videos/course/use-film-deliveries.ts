import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

import { deliveriesQuery, destinationsQuery } from '../../destinations/destination-queries.ts';
import { courseQuery } from '../../generations/story/course-query.ts';
import type { Deliveries } from '../../generations/story/to-delivery-lanes.ts';

/** A delivery follows the end of a film within a second or two, or never. */
const ARRIVING_STEP_MS = 2000;
const MAX_LOOKS = 10;

/** The deliveries of a film's generation, which is there once its job has ended. */
export function useFilmDeliveries(generationId: string, hasEnded: boolean): Deliveries {
  const { data: destinations } = useQuery(destinationsQuery);
  const isAsked = hasEnded && destinations !== undefined && destinations.length > 0;
  const { data: report } = useQuery({
    ...courseQuery(generationId),
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
