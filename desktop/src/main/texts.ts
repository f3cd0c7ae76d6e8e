import { chooseLanguage, type Language, MESSAGES, type Messages } from '@model-gateway/ui/messages';

/** The process speaks one language at a time, in every menu and dialog. */
let language: Language = 'en';

/** Takes the language of the settings, or of the system where they leave it to that. */
export function speak(setting: Language | 'system', systemLanguages: readonly string[]): Language {
  language = chooseLanguage(setting, systemLanguages);
  return language;
}

export const currentLanguage = (): Language => language;

/** The texts in the present language. Read them when they are shown, because the language may change. */
export const texts = (): Messages => MESSAGES[language];
