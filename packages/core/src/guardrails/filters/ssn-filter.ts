import { createPatternFilter } from './create-pattern-filter.ts';

/** Handed out in advertisements and therefore never valid. */
const WORTHLESS: ReadonlySet<string> = new Set(['078051120', '219099999', '123456789', '111111111']);

/**
 * Social security numbers of the United States in their three groups, with the same separator between them. Groups
 * that are never issued are none: area 000, 666 and 900 to 999, group 00, serial 0000.
 */
export const ssnFilter = createPatternFilter({
  label: 'SSN',
  placeholder: '[SSN]',
  trigger: '\\d{3}[ -]\\d{2}[ -]\\d{4}',
  pattern:
    /(?<![\w.,/+]|[\w+]-|\d )(?!000|666|9)\d{3}(?:-(?!00)\d{2}-|[ ](?!00)\d{2}[ ])(?!0000)\d{4}(?!\w|-\w|[ ./,]\d)/,
  measure: (text, start, end) => (WORTHLESS.has(text.slice(start, end).replace(/\D/g, '')) ? null : end),
});
