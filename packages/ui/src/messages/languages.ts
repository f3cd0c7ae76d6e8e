/** Languages with a complete file of messages, each by its own name. */
export const LANGUAGE_NAMES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGE_NAMES;
export const LANGUAGES = Object.keys(LANGUAGE_NAMES) as [Language, ...Language[]];

/**
 * The language of the user's choice, else the first of the system's (`de-AT`, `fr`) of which there are messages, else
 * English.
 */
export function chooseLanguage(setting: Language | 'system', systemLanguages: readonly string[]): Language {
  if (setting !== 'system') return setting;
  const wanted = systemLanguages.map((tag) => tag.split(/[-_]/)[0]?.toLowerCase());
  return LANGUAGES[wanted.map((tag) => LANGUAGES.findIndex((one) => one === tag)).find((at) => at >= 0) ?? 0] ?? 'en';
}

/** What changes with a number, by the categories of `Intl.PluralRules`. */
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string };

/** Creates the function that chooses between forms of a language: `plural(2, { one: 'call', other: 'calls' })`. */
export function createPlural(language: Language): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language);
  return (count, forms) => forms[rules.select(count)] ?? forms.other;
}
