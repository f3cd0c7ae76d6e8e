/** More than any model reads or writes in one call: a count beyond it is a mistake, and would spoil sums. */
const MAX_COUNT = 1e9;

/** A count is a whole number from 0 up; any other value from a provider would corrupt a budget. */
export function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT ? value : undefined;
}
