/** Names of a command: the first is shown, the others are what it is found by, too. */
export type CommandNames = readonly [label: string, ...words: string[]];

/** Of where a word was found. */
const AT_START = 1;
const IN_LABEL = 0.9;
const IN_WORDS = 0.6;
const WITHIN = 0.3;
/** Below all else that fits: what was typed may be the beginning of another word. */
const LAST = 0.001;

const GAPS = /[\s:/._@-]+/;
const toWords = (text: string): string[] => text.toLowerCase().split(GAPS).filter(Boolean);

/**
 * How well a command fits what was typed, from 0 (not at all) to 1. Every word that was typed has to be found; beginnings
 * of words count more than what is within one, and the label more than the other names. A command that affects all users
 * is found by beginnings of its label alone, and comes last.
 */
export function toScore([label, ...others]: CommandNames, typed: string, isForAll = false): number {
  const parts = typed.toLowerCase().trim().split(/\s+/).filter(Boolean);
  if (parts.length === 0) return 1;
  const lower = label.toLowerCase();
  const labelWords = toWords(label);
  if (isForAll) {
    const isBegun = (part: string): boolean => labelWords.some((word) => word.startsWith(part));
    return toWords(typed).every(isBegun) ? LAST : 0;
  }
  const text = others.join(' ').toLowerCase();
  const otherWords = toWords(text);
  const scoreOf = (part: string): number => {
    if (lower.startsWith(part)) return AT_START;
    if (labelWords.some((word) => word.startsWith(part))) return IN_LABEL;
    if (otherWords.some((word) => word.startsWith(part)) || others.some((one) => one.toLowerCase().startsWith(part)))
      return IN_WORDS;
    return lower.includes(part) || text.includes(part) ? WITHIN : 0;
  };
  const scores = parts.map(scoreOf);
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0) / scores.length;
}
