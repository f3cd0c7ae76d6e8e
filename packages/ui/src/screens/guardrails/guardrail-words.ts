import type { GuardrailEffect, GuardrailHitCounts } from '@model-gateway/core/wire';

interface EffectLook {
  readonly label: string;
  /** What became of such calls. */
  readonly about: string;
  /** In charts; the same everywhere. */
  readonly color: string;
}

/** What guardrails do to calls, the strongest first. */
export const EFFECTS: Readonly<Record<GuardrailEffect, EffectLook>> = {
  blocked: { label: 'Blocked', about: 'a filter refused the prompt or ended the response', color: '--series-8' },
  over_budget: { label: 'Over budget', about: 'refused because the budget was used up', color: '--series-6' },
  unserved: { label: 'Not served', about: 'refused because no endpoint was left', color: '--series-5' },
  redacted: { label: 'Redacted', about: 'continued with matches removed', color: '--series-4' },
  flagged: { label: 'Flagged', about: 'continued unchanged, with a note', color: '--series-7' },
  narrowed: { label: 'Restricted', about: 'continued with fewer endpoints', color: '--series-1' },
};

export const EFFECT_NAMES = Object.keys(EFFECTS) as readonly GuardrailEffect[];

/** Each effect that there was with its number. */
export const listEffects = (counts: GuardrailHitCounts): readonly (readonly [GuardrailEffect, number])[] =>
  EFFECT_NAMES.flatMap((effect) => (counts[effect] > 0 ? [[effect, counts[effect]] as const] : []));

/** All but what was only narrowed, which a list of allowed providers does to nearly every call. */
export const countInterventions = (counts: GuardrailHitCounts): number =>
  listEffects(counts).reduce((sum, [effect, number]) => (effect === 'narrowed' ? sum : sum + number), 0);

/** `3 blocked, 12 narrowed`. */
export const describeEffects = (counts: GuardrailHitCounts): string =>
  listEffects(counts)
    .map(([effect, number]) => `${number} ${EFFECTS[effect].label.toLowerCase()}`)
    .join(', ');

/** `2 keys and 1 member`; null for none of either. */
export function describeSubjects(keys: number, members: number): string | null {
  const counts = [
    ...(keys > 0 ? [`${keys} ${keys === 1 ? 'key' : 'keys'}`] : []),
    ...(members > 0 ? [`${members} ${members === 1 ? 'member' : 'members'}`] : []),
  ];
  return counts.length === 0 ? null : counts.join(' and ');
}

const MAX_SHOWN = 32;

/** The label of a filter as it fits into a badge. */
export const toShortRule = (rule: string): string => (rule.length > MAX_SHOWN ? `${rule.slice(0, MAX_SHOWN)}…` : rule);
