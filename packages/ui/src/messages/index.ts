import { de } from './de.ts';
import { en, type Messages } from './en.ts';
import type { Language } from './languages.ts';

/*
 * Texts by language, for the desktop app and for its quick panel. A text with a number or a name in it is a function, so
 * that each language has its own order of words.
 */

export { chooseLanguage, type Language, LANGUAGES, LANGUAGE_NAMES } from './languages.ts';
export type { Messages };

export const MESSAGES: Readonly<Record<Language, Messages>> = { en, de };
