import { createPatternFilter } from './create-pattern-filter.ts';

/** Length of the whole number by country (the IBAN registry). Other countries have none. */
const LENGTHS: Readonly<Record<string, number>> = Object.fromEntries(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ' +
    'ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 ' +
    'LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 ' +
    'PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** International bank account numbers: in one piece or in groups of four, of a country's length, with their checksum. */
export const ibanFilter = createPatternFilter({
  label: 'IBAN',
  placeholder: '[IBAN]',
  trigger: '[a-z]{2}\\d{2}[ -]?[a-z0-9]{4}',
  pattern: /(?<!\w)[a-z]{2}\d{2}(?:[ -]?[a-z0-9]){11,30}/,
  measure: measureIban,
});

/** The country determines the length; letters that follow in separate groups are other words. */
function measureIban(text: string, start: number, end: number): number | null {
  const length = LENGTHS[text.slice(start, start + 2).toUpperCase()] ?? Number.POSITIVE_INFINITY;
  let iban = '';
  let at = start;
  for (; at < end && iban.length < length; at += 1) {
    const character = text.charAt(at);
    if (character !== ' ' && character !== '-') iban += character.toUpperCase();
  }
  const isWhole = iban.length === length && !/\w/.test(text.charAt(at));
  return isWhole && hasIbanChecksum(iban) ? at : null;
}

/** ISO 7064 mod 97-10: the first four characters go to the end, letters count from ten. */
function hasIbanChecksum(iban: string): boolean {
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}
