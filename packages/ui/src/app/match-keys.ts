/** The fields of a keyboard event that are used. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

export type KeyMatch<Entry> =
  | { readonly type: 'match'; readonly entry: Entry }
  /** The press begins a pair. */
  | { readonly type: 'prefix' }
  | { readonly type: 'none' };

/** Finds the first entry that a press means, given the press just before it, where that began a pair. */
export function matchKeys<Entry extends { readonly keys: string }>(
  press: KeyPress,
  before: string | null,
  entries: readonly Entry[],
): KeyMatch<Entry> {
  if (press.altKey) return { type: 'none' };
  const name = toName(press);
  const whole = before === null ? name : `${before} ${name}`;
  const entry = entries.find(({ keys }) => keys === whole) ?? entries.find(({ keys }) => keys === name);
  if (entry !== undefined) return { type: 'match', entry };
  return entries.some(({ keys }) => keys.startsWith(`${name} `)) ? { type: 'prefix' } : { type: 'none' };
}

function toName({ key, ctrlKey, metaKey, shiftKey }: KeyPress): string {
  const isLetter = /^[a-z]$/i.test(key);
  const name = isLetter ? key.toLowerCase() : key;
  if (ctrlKey || metaKey) return `mod+${name}`;
  // A sign such as ? already says that Shift was held.
  return shiftKey && isLetter ? `Shift+${key.toUpperCase()}` : name;
}
