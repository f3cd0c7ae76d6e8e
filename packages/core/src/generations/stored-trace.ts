const MAX_KEYS = 64;
const MAX_KEY_LENGTH = 128;
const MAX_TEXT_LENGTH = 1024;

/**
 * Converts the `trace` of a request to the form that is stored with every generation: at most 64 keys, texts cut at
 * 1,024 characters, lists and objects as their JSON. Undefined when nothing is left.
 */
export function toStoredTrace(trace: Readonly<Record<string, unknown>>): StoredTrace | undefined {
  const stored: Record<string, string | number | boolean> = {};
  for (const [key, value] of Object.entries(trace).slice(0, MAX_KEYS)) {
    if (value === null || value === undefined || key.length > MAX_KEY_LENGTH) continue;
    stored[key] = toScalar(value);
  }
  return Object.keys(stored).length === 0 ? undefined : stored;
}

function toScalar(value: unknown): string | number | boolean {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_TEXT_LENGTH);
}

/** The `trace` of a request in its stored form: flat, and of limited size. */
export type StoredTrace = Readonly<Record<string, string | number | boolean>>;
