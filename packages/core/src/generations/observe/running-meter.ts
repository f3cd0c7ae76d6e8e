import type { Endpoint } from '../../catalog/catalog.ts';
import type { GenerationRecord, RunningCall } from '../../stores/store.ts';
import { sumSpending, type Turn } from './spending.ts';
import { createTurnMeter, type TurnMeter } from './turn-meter.ts';

/** The state of a call under way. */
export interface RunningState {
  /** The endpoint that is relayed or being asked. */
  readonly endpoint: Endpoint;
  /** At least one. Only the last still changes. */
  readonly turns: readonly Turn[];
  readonly attempts: number;
  readonly upstreamId: string | undefined;
  readonly durationMs: number;
}

/** Measures a call under way, again and again. */
export interface RunningMeter {
  /** `toRecord` is called when a fact has changed. `at` is in Unix milliseconds. */
  read(state: RunningState, at: number, toRecord: () => GenerationRecord): RunningCall;
}

export function createRunningMeter(): RunningMeter {
  const measured: { readonly turn: Turn; readonly meter: TurnMeter }[] = [];
  let known: RunningState | undefined;
  let record: GenerationRecord | undefined;
  return {
    read(state, at, toRecord) {
      const { endpoint, turns, attempts, upstreamId, durationMs } = state;
      const isSame = known?.endpoint === endpoint && known.attempts === attempts && known.upstreamId === upstreamId;
      if (!isSame || record === undefined) record = toRecord();
      known = state;
      for (const [index, turn] of turns.entries()) {
        const before = measured[index]?.turn;
        // The endpoint that begins a turn may not be the one that was asked first.
        const isKnown = before?.endpoint === turn.endpoint && before.completion === turn.completion;
        if (!isKnown) measured[index] = { turn, meter: createTurnMeter(turn) };
      }
      const [first, ...others] = measured.map(({ meter }) => meter.read(at));
      if (first === undefined) throw new TypeError('A call under way has a turn');
      const { usage, cost } = sumSpending(first, others);
      return {
        record,
        figures: {
          promptTokens: usage.prompt_tokens,
          completionTokens: usage.completion_tokens,
          costUsd: cost?.usd ?? 0,
          costNanoUsd: cost?.nanoUsd ?? 0,
          costKnown: cost !== null,
          durationMs: Math.round(durationMs),
        },
      };
    },
  };
}
