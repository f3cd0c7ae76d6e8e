/** An object from untrusted JSON, whose fields are not checked yet. */
export type Unchecked = Readonly<Record<string, unknown>>;

/** Whether fields can be read from a value. Lists pass: a field that a list lacks is undefined as in an object. */
export function isObject(value: unknown): value is Unchecked {
  return typeof value === 'object' && value !== null;
}

/** Whether a value is an object and no list. */
export function isRecord(value: unknown): value is Unchecked {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list; none for any other value. */
export function objectsOf(value: unknown): Unchecked[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** More than any model reads or writes in one call: a count beyond it is a mistake, and would spoil sums. */
const MAX_COUNT = 1e9;

/** A count is a whole number from 0 up; any other value from a provider would corrupt a budget. */
export function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT ? value : undefined;
}
