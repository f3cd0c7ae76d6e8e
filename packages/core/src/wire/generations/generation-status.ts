/** `interrupted`: the gateway's process ended in the middle of the call. */
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
