import { chooseLanguage, createPlural, type Language } from './languages.ts';

/*
 * What texts, numbers and times look like. The page sets it before it draws, and draws anew when it changes: functions
 * read it when they are called, so no component has to pass it on.
 */

/** How this page writes. Times are those of the browser's own zone, or of UTC. */
export interface Locale {
  readonly language: Language;
  /** Of `Intl`: the language with its region, which decides how dates and numbers are written. */
  readonly tag: string;
  readonly zone: 'local' | 'utc';
}

const TAGS: Readonly<Record<Language, string>> = { en: 'en-US', de: 'de-DE' };

let current: Locale = { language: 'en', tag: TAGS.en, zone: 'local' };

export const getLocale = (): Locale => current;

/** Takes over what the user chose. What `perLocale` has made is made anew when it is asked for again. */
export function setLocale(
  language: Language | 'system',
  zone: Locale['zone'],
  systemLanguages: readonly string[],
): void {
  const chosen = chooseLanguage(language, systemLanguages);
  if (chosen !== current.language || zone !== current.zone) current = { language: chosen, tag: TAGS[chosen], zone };
}

/** Creates a function that returns what was made for the present locale: a formatter costs more than what it formats. */
export function perLocale<Made>(make: (locale: Locale) => Made): () => Made {
  let made: { readonly locale: Locale; readonly value: Made } | undefined;
  return () => {
    if (made?.locale !== current) made = { locale: current, value: make(current) };
    return made.value;
  };
}

/**
 * Creates the function that returns a screen's texts in the present language. English decides which texts there are: a
 * language that lacks one, or has one more, does not compile.
 */
export function createMessages<Texts>(
  en: Texts,
  others: Readonly<Record<Exclude<Language, 'en'>, NoInfer<Texts>>>,
): () => Texts {
  const all: Readonly<Record<Language, Texts>> = { en, ...others };
  return () => all[current.language];
}

/** Chooses a form by a number: `plural.en(2, { one: 'request', other: 'requests' })`. */
export const plural = { en: createPlural('en'), de: createPlural('de') } as const;
