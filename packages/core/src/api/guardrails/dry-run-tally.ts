import { NANO_PER_USD } from '../../catalog/nano-usd.ts';
import type { GenerationRecord } from '../../stores/store.ts';
import type { GuardrailDryRunLine } from '../../wire/guardrail-trials.ts';

type Example = GuardrailDryRunLine['examples'][number];
type Effect = Example['effects'][number]['effect'];

/** One thing that a guardrail would have done to a call. */
export interface DryRunEffect {
  readonly effect: Effect;
  /** The label of the filter, or the field of the guardrail. */
  readonly rule: string;
  /** It was found in the completion, so the call had been made. */
  readonly isOfCompletion?: boolean;
}

/** A call as far as lists of examples show it. */
export type TalliedCall = Pick<GenerationRecord, 'costNanoUsd'> & {
  readonly generation: Pick<GenerationRecord['generation'], 'id' | 'model' | 'created_at' | 'cost_known'>;
};

/** Adds up a dry run. */
export interface DryRunTally {
  add(call: TalliedCall, effects: readonly DryRunEffect[]): void;
  /** A call that was added before, and that a budget would have refused. */
  addOverBudget(refused: OverBudget): void;
  noteWithoutContent(): void;
  /** The state now; its examples are those since it was read before. */
  read(isDone: boolean): GuardrailDryRunLine;
}

export interface OverBudget {
  readonly call: TalliedCall;
  /** Whether it had another effect, too. */
  readonly isTouched: boolean;
}

export function createDryRunTally(total: number, maxExamples: number): DryRunTally {
  const counts = { blocked: 0, redacted: 0, flagged: 0, rerouted: 0, unserved: 0, over_budget: 0 };
  const rules = new Map<string, { rule: string; effect: Effect; calls: number }>();
  let examples: Example[] = [];
  let listed = 0;
  let lookedAt = 0;
  let touched = 0;
  let withoutContent = 0;
  let backTo: string | null = null;
  let savedNanoUsd = 0;
  let savedUnknown = 0;

  const addRule = (effect: Effect, rule: string): void => {
    const key = `${effect} ${rule}`;
    const known = rules.get(key);
    if (known === undefined) rules.set(key, { rule, effect, calls: 1 });
    else known.calls += 1;
  };
  const addSaved = ({ generation, costNanoUsd }: TalliedCall): void => {
    if (generation.cost_known) savedNanoUsd += costNanoUsd;
    else savedUnknown += 1;
  };
  const addExample = ({ generation, costNanoUsd }: TalliedCall, effects: Example['effects']): void => {
    if (listed >= maxExamples) return;
    listed += 1;
    const { id, model, created_at } = generation;
    examples.push({ id, model, created_at, cost: generation.cost_known ? costNanoUsd / NANO_PER_USD : null, effects });
  };

  return {
    noteWithoutContent: () => void (withoutContent += 1),
    add(call, effects) {
      lookedAt += 1;
      backTo = call.generation.created_at;
      if (effects.length === 0) return;
      touched += 1;
      const distinct = [
        ...new Map(effects.map(({ effect, rule }) => [`${effect} ${rule}`, { effect, rule }])).values(),
      ];
      for (const effect of new Set(distinct.map((found) => found.effect))) counts[effect] += 1;
      for (const { effect, rule } of distinct) addRule(effect, rule);
      if (effects.some(isRefusal)) addSaved(call);
      addExample(call, distinct);
    },
    addOverBudget({ call, isTouched }) {
      if (!isTouched) touched += 1;
      counts.over_budget += 1;
      addRule('over_budget', 'limit_usd');
      addSaved(call);
      addExample(call, [{ effect: 'over_budget', rule: 'limit_usd' }]);
    },
    read(isDone) {
      const line: GuardrailDryRunLine = {
        done: isDone,
        looked_at: lookedAt,
        total: Math.max(total, lookedAt),
        back_to: backTo,
        touched,
        ...counts,
        without_content: withoutContent,
        saved_usd: savedNanoUsd / NANO_PER_USD,
        saved_unknown: savedUnknown,
        rules: [...rules.values()].toSorted((a, b) => b.calls - a.calls),
        examples,
      };
      examples = [];
      return line;
    },
  };
}

/** Whether the call would have ended before any endpoint was asked; a completion that is blocked has been paid for. */
export const isRefusal = ({ effect, isOfCompletion }: DryRunEffect): boolean =>
  effect === 'unserved' || (effect === 'blocked' && isOfCompletion !== true);
