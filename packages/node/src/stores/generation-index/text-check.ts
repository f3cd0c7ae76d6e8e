import type { GenerationCondition } from '@model-gateway/core';

/** Fields whose values are written in the text of a record as they are; of others some are left out or worked out. */
const WRITTEN: ReadonlySet<GenerationCondition['field']> = new Set([
  'app',
  'endpoint',
  'feedback',
  'guardrail',
  'preset',
  'router',
  'rule',
  'search_engine',
  'stage',
  'tier',
  'upstream',
  'upstream_id',
]);
/** Characters that JSON writes as they are, and that have the same small letters everywhere. */
const PLAIN = /^[ !#-[\]-~]+$/;

/**
 * Tells of most records that they cannot meet the conditions, by their text alone, which takes a tenth of the time to
 * parse it. Undefined where nothing can be told.
 */
export function createTextCheck(
  conditions: readonly GenerationCondition[] = [],
): ((text: string) => boolean) | undefined {
  const needed = conditions.flatMap((condition) => {
    const pieces = toPieces(condition);
    return pieces === undefined ? [] : [pieces];
  });
  if (needed.length === 0) return undefined;
  return (text) => {
    const lower = text.toLowerCase();
    return needed.every((pieces) => pieces.some((piece) => lower.includes(piece)));
  };
}

/** Of each wanted value the longest piece without a star; one of them is in the text of all that meet the condition. */
function toPieces({ field, sign, values, isNegated }: GenerationCondition): readonly string[] | undefined {
  if (!WRITTEN.has(field) || sign !== ':' || isNegated) return undefined;
  const pieces = values.map((value) => longestOf(String(value).split('*')));
  return pieces.every((piece) => PLAIN.test(piece)) ? pieces : undefined;
}

const longestOf = (texts: readonly string[]): string =>
  texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '');
