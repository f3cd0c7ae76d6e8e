import type { GenerationRecord, RunningCall } from '../store.ts';

/** The record of a call whose process has ended in the middle of it. */
export function toInterruptedRecord({ record, figures }: RunningCall): GenerationRecord {
  const { promptTokens, completionTokens, costUsd, costNanoUsd, costKnown, durationMs } = figures;
  return {
    ...record,
    costNanoUsd,
    generation: {
      ...record.generation,
      interrupted: true,
      cancelled: false,
      finish_reason: 'error',
      native_finish_reason: null,
      tokens_prompt: promptTokens,
      tokens_completion: completionTokens,
      native_tokens_prompt: promptTokens,
      native_tokens_completion: completionTokens,
      total_cost: costUsd,
      usage: costUsd,
      generation_time: durationMs,
      cost_known: costKnown,
      usage_estimated: true,
    },
  };
}
