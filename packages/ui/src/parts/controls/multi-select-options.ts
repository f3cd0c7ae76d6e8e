/** One of the options that can be chosen. */
export interface SelectOption {
  readonly value: string;
  readonly label: string;
  /** Beside the label: a price, say. */
  readonly note?: string | undefined;
  /** Other words by which it is found. */
  readonly words?: string | undefined;
}

/** A line of the list below the field. */
export type SelectLine =
  | { readonly kind: 'option'; readonly option: SelectOption; readonly isChosen: boolean }
  /** What was typed and is none of the options. */
  | { readonly kind: 'other'; readonly value: string };

export interface SelectQuery {
  readonly options: readonly SelectOption[];
  readonly chosen: readonly string[];
  readonly text: string;
  /** Whether a text that is none of the options may be chosen. */
  readonly allowsOther: boolean;
}

/** Lines that a list shows at once. */
export const MAX_LINES = 60;

/**
 * The lines for what is typed, which has to be found word by word; those that begin with it come first. `more` is the
 * number of those that are left out.
 */
export function findLines({ options, chosen, text, allowsOther }: SelectQuery): {
  readonly lines: readonly SelectLine[];
  readonly more: number;
} {
  const wanted = text.trim().toLowerCase();
  const words = wanted.split(/\s+/).filter((word) => word !== '');
  const found = options.filter((option) => {
    const place = textOf(option);
    return words.every((word) => place.includes(word));
  });
  const begins = ({ value, label }: SelectOption): boolean =>
    value.toLowerCase().startsWith(wanted) || label.toLowerCase().startsWith(wanted);
  const sorted = wanted === '' ? found : [...found.filter(begins), ...found.filter((option) => !begins(option))];
  const lines: SelectLine[] = sorted
    .slice(0, MAX_LINES)
    .map((option) => ({ kind: 'option', option, isChosen: chosen.includes(option.value) }));
  const isKnown = options.some(({ value }) => value.toLowerCase() === wanted) || chosen.includes(text.trim());
  if (allowsOther && wanted !== '' && !isKnown) lines.push({ kind: 'other', value: text.trim() });
  return { lines, more: Math.max(0, sorted.length - MAX_LINES) };
}

const textOf = ({ value, label, words = '' }: SelectOption): string => `${value} ${label} ${words}`.toLowerCase();

/** What is chosen when several values are pasted, separated by commas or line ends; null where it is a single one. */
export function splitPasted(text: string, options: readonly SelectOption[]): readonly string[] | null {
  const parts = text
    .split(/[\n,]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length < 2) return null;
  return parts.map((part) => toKnownValue(part, options));
}

/** The value of the option that a text names in any case, or the text itself. */
export function toKnownValue(text: string, options: readonly SelectOption[]): string {
  const wanted = text.toLowerCase();
  return options.find(({ value }) => value.toLowerCase() === wanted)?.value ?? text;
}
