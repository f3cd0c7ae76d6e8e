/** `interrupted`: the gateway's process stopped during the call. */
export const GENERATION_STATUSES = ['ok', 'failed', 'cancelled', 'interrupted'] as const;

export type GenerationStatus = (typeof GENERATION_STATUSES)[number];

/** The end of a call, in the form of lists and figures. */
export function statusOfGeneration(generation: {
  readonly cancelled: boolean | null;
  readonly finish_reason: string | null;
  readonly interrupted?: boolean | undefined;
}): GenerationStatus {
  if (generation.interrupted === true) return 'interrupted';
  if (generation.cancelled === true) return 'cancelled';
  return generation.finish_reason === 'error' ? 'failed' : 'ok';
}

/** The status of a video job, in the words of the wire. */
export const OPEN_STATUSES = ['pending', 'in_progress'] as const;
export const ENDED_STATUSES = ['completed', 'failed', 'cancelled', 'expired'] as const;

export type VideoJobStatus = (typeof OPEN_STATUSES)[number] | (typeof ENDED_STATUSES)[number];
