import type { Language } from '../messages/index.ts';

/** Numbers, money and times as a language writes them. */
export function createFormats(language: Language) {
  const region = { en: 'en-US', de: 'de-DE' }[language];
  const clock = new Intl.DateTimeFormat(region, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return {
    number: (value: number): string => new Intl.NumberFormat(region).format(value),
    time: (at: number): string => clock.format(at),
    /** In cents; below one cent with four digits. */
    usd(value: number): string {
      const digits = value > 0 && value < 0.01 ? { maximumSignificantDigits: 4 } : {};
      return new Intl.NumberFormat(region, { style: 'currency', currency: 'USD', ...digits }).format(value);
    },
  };
}
