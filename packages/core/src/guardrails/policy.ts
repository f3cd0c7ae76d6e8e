import type { Narrowing } from '../calls/call-kind.ts';
import type { EffectiveBudget } from './effective-policy.ts';
import type { InputFilters, OutputFilters } from './filters/compile-filters.ts';

/** All demands of guardrails on the calls of one caller, compiled. */
export interface Policy {
  readonly narrowings: readonly Narrowing[];
  readonly input: InputFilters | null;
  readonly output: OutputFilters | null;
  /** Each counts on its own, for the key, the member or the workspace by its scope. */
  readonly budgets: readonly EffectiveBudget[];
  /** What it was compiled from: equal texts are equal policies, in other processes too. */
  readonly content: string;
}
