import type { DestinationArrival } from '../wire/generations/call-course.ts';

/** When the latest generations reached their destinations. Of this process alone: nothing is written for it. */
export interface ArrivalLog {
  note(generationIds: readonly string[], arrival: NotedArrival): void;
  of(generationId: string): DestinationArrival[];
}

interface NotedArrival {
  readonly destinationId: string;
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
  readonly tookMs: number;
}

/** Generations of which arrivals are held: some 200 KB. */
const MAX_GENERATIONS = 2000;

export function createArrivalLog(): ArrivalLog {
  /** In order of their first arrival. */
  const held = new Map<string, NotedArrival[]>();
  return {
    note(generationIds, arrival) {
      for (const id of generationIds) {
        const known = held.get(id);
        if (known === undefined) held.set(id, [arrival]);
        else known.push(arrival);
      }
      for (const id of held.keys()) {
        if (held.size <= MAX_GENERATIONS) break;
        held.delete(id);
      }
    },
    of: (id) =>
      (held.get(id) ?? []).map(({ destinationId, sentAt, tookMs }) => ({
        destination_id: destinationId,
        sent_at: new Date(sentAt).toISOString(),
        took_ms: Math.round(tookMs),
      })),
  };
}
