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
