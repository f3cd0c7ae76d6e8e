import { createPatternFilter } from './create-pattern-filter.ts';

/** Beginnings and lengths of the card networks; a checksum alone lets one number in ten pass. */
const NETWORKS =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|6(?:011|4[4-9]\d|5\d\d|2\d\d|0\d\d|[37]\d\d)\d{12,15}|35\d{14})$/;

/** Numbers of payment cards, in one piece or in groups, that pass the Luhn check. */
export const creditCardFilter = createPatternFilter({
  label: 'Credit card',
  placeholder: '[CREDIT_CARD]',
  trigger: '[2-6](?:[ -]?\\d){12}',
  pattern: /(?<![\w.]|\d-)[2-6](?:\d{12,18}|\d{3}(?:[ -]\d{4}){2}[ -]\d{1,7}|\d{3}[ -]\d{6}[ -]\d{4,5})(?![\w]|[.-]\d)/,
  measure(text, start, end) {
    const digits = text.slice(start, end).replace(/[ -]/g, '');
    return NETWORKS.test(digits) && hasLuhnChecksum(digits) ? end : null;
  },
});

function hasLuhnChecksum(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i += 1) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
