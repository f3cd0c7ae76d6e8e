/** More than any completion has, and few enough for whatever walks through it level by level. */
export const MAX_DEPTH = 1000;

/**
 * Parses JSON; undefined where it is nested more than a thousand levels deep. `JSON.parse` reads as many levels as there
 * are, whereas `JSON.stringify` exhausts the stack after some thousand. What is short, as most events are, cannot be deep
 * and costs nothing. Of the rest the value is walked through, not the text: its texts, which are most of it, cost nothing.
 * Throws as `JSON.parse` does.
 */
export function parseWithinDepth(text: string): unknown {
  const value = JSON.parse(text) as unknown;
  // Each level has a bracket at both ends.
  if (text.length <= 2 * MAX_DEPTH || typeof value !== 'object' || value === null) return value;
  return isDeeper(value, MAX_DEPTH) ? undefined : value;
}

/** Whether something has more levels than these. Never calls itself more often than that. */
function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) {
      if (typeof item === 'object' && item !== null && isDeeper(item, levels - 1)) return true;
    }
    return false;
  }
  // Creates no list of the members, unlike `Object.values`.
  for (const name in value) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (typeof member === 'object' && member !== null && isDeeper(member, levels - 1)) return true;
  }
  return false;
}
