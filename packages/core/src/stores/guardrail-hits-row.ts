import type { GuardrailEffect } from '../wire/guardrails.ts';

/** A call that a guardrail refused before any endpoint was asked, so that there is no generation of it. */
export interface GuardrailRefusal {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly effect: GuardrailEffect;
  /** The label of the filter, or the field of the guardrail. */
  readonly rule: string;
  readonly principalId: string | null;
  /** As the caller wrote it. */
  readonly model: string | null;
}

/** How often one guardrail acted on one day. */
export interface GuardrailHitsRow {
  /** The guardrail's id and the day. */
  readonly id: string;
  readonly guardrailId: string;
  /** In UTC: `2026-03-01`. */
  readonly day: string;
  /** Counts by the hour of the day, `0` to `23`, and by effect. What is absent is 0. */
  readonly hours: Readonly<Record<string, Readonly<Partial<Record<GuardrailEffect, number>>>>>;
  /** The latest, newest first; not all of them. */
  readonly refusals: readonly GuardrailRefusal[];
}
