export type GenerationStatus = 'ok' | 'failed' | 'cancelled';

/** The end of a call, in the form of lists and figures. */
export function statusOfGeneration(generation: {
  readonly cancelled: boolean | null;
  readonly finish_reason: string | null;
}): GenerationStatus {
  if (generation.cancelled === true) return 'cancelled';
  return generation.finish_reason === 'error' ? 'failed' : 'ok';
}
