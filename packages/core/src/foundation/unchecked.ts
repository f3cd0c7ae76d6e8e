/** An object out of JSON from elsewhere, its fields not looked at yet. */
export type Unchecked = Readonly<Record<string, unknown>>;

/** Whether fields can be read of a value. Lists pass: what a list lacks is missing as it is in an object. */
export function isObject(value: unknown): value is Unchecked {
  return typeof value === 'object' && value !== null;
}

/** Whether a value is an object and no list. */
export function isRecord(value: unknown): value is Unchecked {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list; of anything else, none. */
export function objectsOf(value: unknown): Unchecked[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
