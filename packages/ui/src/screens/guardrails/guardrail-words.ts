import type { GuardrailEffect, GuardrailHitCounts } from '@model-gateway/core/wire';

import { formatCount } from '../../format/quantity.ts';
import { guardrailsMessages } from './messages.ts';

/** What guardrails do to requests, the strongest first, with its colour in charts. */
export const EFFECT_COLORS: Readonly<Record<GuardrailEffect, string>> = {
  blocked: '--series-8',
  over_budget: '--series-6',
  unserved: '--series-5',
  redacted: '--series-4',
  flagged: '--series-7',
  narrowed: '--series-1',
};

export const EFFECT_NAMES = Object.keys(EFFECT_COLORS) as readonly GuardrailEffect[];

/** Each effect that there was with its number. */
export const listEffects = (counts: GuardrailHitCounts): readonly (readonly [GuardrailEffect, number])[] =>
  EFFECT_NAMES.flatMap((effect) => (counts[effect] > 0 ? [[effect, counts[effect]] as const] : []));

/** All effects together. */
export const countHits = (counts: GuardrailHitCounts): number =>
  listEffects(counts).reduce((sum, [, number]) => sum + number, 0);

/** `3 blocked, 12 restricted`. */
export function describeEffects(counts: GuardrailHitCounts): string {
  const { effects } = guardrailsMessages();
  return listEffects(counts)
    .map(([effect, number]) => `${formatCount(number)} ${effects[effect].count}`)
    .join(', ');
}

/** `2 keys and 1 member`; null for none of either. */
export function describeSubjects(keys: number, members: number): string | null {
  const t = guardrailsMessages();
  if (keys === 0 && members === 0) return null;
  if (keys === 0) return t.memberCount(members);
  return members === 0 ? t.keyCount(keys) : t.and(t.keyCount(keys), t.memberCount(members));
}

const MAX_SHOWN = 32;

/** The label of a filter as it fits into a badge. */
export const toShortRule = (rule: string): string => (rule.length > MAX_SHOWN ? `${rule.slice(0, MAX_SHOWN)}…` : rule);
