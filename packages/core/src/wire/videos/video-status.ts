/** The status of a video job, in the words of the wire. */
export const OPEN_STATUSES = ['pending', 'in_progress'] as const;
export const ENDED_STATUSES = ['completed', 'failed', 'cancelled', 'expired'] as const;

export type VideoJobStatus = (typeof OPEN_STATUSES)[number] | (typeof ENDED_STATUSES)[number];
