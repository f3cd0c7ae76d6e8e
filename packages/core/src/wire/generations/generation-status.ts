export type GenerationStatus = 'ok' | 'failed' | 'cancelled';

/** How a call ended, as lists and figures tell it. */
export function statusOfGeneration(generation: {
  readonly cancelled: boolean | null;
  readonly finish_reason: string | null;
}): GenerationStatus {
  if (generation.cancelled === true) return 'cancelled';
  return generation.finish_reason === 'error' ? 'failed' : 'ok';
}
