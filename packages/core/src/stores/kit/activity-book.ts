import type { ActivitySum } from '../generation-queries.ts';
import type { GenerationRecord } from '../store.ts';

/** Sums of generations by day, model, provider, endpoint and workspace. */
export interface ActivityBook {
  add(record: GenerationRecord): void;
  /** Takes away what was added before. */
  subtract(record: GenerationRecord): void;
  /** Removes the days before this one. */
  forgetBefore(day: string): void;
  /** The current sums; the first that was added comes last. */
  sums(): ActivitySum[];
}

/** Creates an empty book. It grows with the kinds of calls there are, not with their number. */
export function createActivityBook(): ActivityBook {
  const sums = new Map<string, Mutable<ActivitySum>>();
  const book = (record: GenerationRecord, sign: 1 | -1): void => {
    const kind = kindOf(record);
    // Not JSON, which would take as long as all the rest, and there may be a hundred thousand.
    const id = `${kind.date}\n${kind.model}\n${kind.providerName}\n${kind.endpointId}\n${kind.workspaceId}`;
    let sum = sums.get(id);
    if (sum === undefined) sums.set(id, (sum = { ...kind, ...NOTHING }));
    addTo(sum, record, sign);
    if (sum.requests === 0) sums.delete(id);
  };
  return {
    add: (record) => book(record, 1),
    subtract: (record) => book(record, -1),
    forgetBefore(day) {
      for (const [id, { date }] of sums) if (date < day) sums.delete(id);
    },
    sums: () => [...sums.values()].map((sum) => ({ ...sum })).toReversed(),
  };
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

const NOTHING = {
  requests: 0,
  creditsNanoUsd: 0,
  byokNanoUsd: 0,
  promptTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
} as const;

const kindOf = ({ generation }: GenerationRecord) => ({
  date: generation.created_at.slice(0, 10),
  model: generation.model,
  providerName: generation.provider_name,
  endpointId: generation.provider_responses?.at(-1)?.endpoint_id ?? '',
  workspaceId: generation.workspace_id ?? '',
});

function addTo(sum: Mutable<ActivitySum>, { generation, costNanoUsd }: GenerationRecord, sign: 1 | -1): void {
  sum.requests += sign;
  if (generation.is_byok) sum.byokNanoUsd += sign * costNanoUsd;
  else sum.creditsNanoUsd += sign * costNanoUsd;
  sum.promptTokens += sign * (generation.tokens_prompt ?? 0);
  sum.completionTokens += sign * (generation.tokens_completion ?? 0);
  sum.reasoningTokens += sign * (generation.native_tokens_reasoning ?? 0);
}
