import { createPatternFilter } from './create-pattern-filter.ts';

/** Fewest and most digits of a number with its country code (E.164). */
const MIN_DIGITS = 8;
const MAX_DIGITS = 15;

/**
 * Telephone numbers that look like one: with a country code, or in the groups of the North American plan, or in
 * European groups with a leading zero. A bare run of digits is no phone number; too many other things are.
 */
export const phoneFilter = createPatternFilter({
  label: 'Phone',
  placeholder: '[PHONE]',
  trigger: '(?:\\+|00|\\(|[2-9]|0|1)\\d{0,4}[\\s).-]{0,2}\\d',
  pattern: new RegExp(
    [
      // +49 30 901820, +1 (415) 555-2671, 0044 20 7946 0958
      '(?<![\\w+]|\\d )(?:\\+|00)[1-9]\\d{0,2}(?:[ .-]?\\(0?\\d{1,4}\\))?(?:[ ./-]?\\d{1,5}){2,6}(?![\\w])',
      // (415) 555-2671, 415-555-2671, 1-800-555-0199
      '(?<![\\w+.,/:-])(?:1[ .-])?(?:\\([2-9]\\d{2}\\) ?|[2-9]\\d{2}[.-]|[2-9]\\d{2} )[2-9]\\d{2}[ .-]\\d{4}(?![\\w-]|[.,]\\d)',
      // 020 7946 0958, 030/901820, 06 12 34 56 78
      '(?<![\\w+.,/:-]|\\d )0[1-9]\\d{0,3}(?:(?: \\d{2,8}){1,4}|(?:-|/ ?)\\d{4,8})(?![\\w-]|[.,/:]\\d)',
    ].join('|'),
  ),
  measure(text, start, end) {
    const match = text.slice(start, end);
    const digits = match.replace(/\D/g, '').length;
    return digits >= MIN_DIGITS && digits <= MAX_DIGITS + (match.startsWith('00') ? 2 : 0) ? end : null;
  },
});
