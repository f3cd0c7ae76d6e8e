/** An object out of upstream's JSON, its fields not looked at yet. */
export type Unchecked = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Unchecked {
  return typeof value === 'object' && value !== null;
}

/** The objects of a list; of anything else, none. */
export const objectsOf = (value: unknown): Unchecked[] => (Array.isArray(value) ? value.filter(isObject) : []);
