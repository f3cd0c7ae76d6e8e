import { runAtOnce, type Steps } from '../../foundation/queues.ts';
import type { Filter, Span } from './filter.ts';
import { findInWindows } from './search.ts';

interface PatternFilterOptions {
  readonly label: string;
  readonly placeholder: string;
  readonly trigger: string;
  readonly beginning?: string | undefined;
  /**
   * A pattern of the gateway itself, so the fast engine of the platform runs it. Every repetition in it has an upper
   * bound: time is linear in the text, and a match and what it looks ahead at have at most 1,024 characters. May look
   * behind by a few characters. Case makes no difference. Flag: `u`, where it needs that.
   */
  readonly pattern: RegExp;
  /**
   * A check that a pattern cannot express, a checksum for example. Returns the actual end of the match, or null when
   * there is no match after all.
   */
  readonly measure?: ((text: string, start: number, end: number) => number | null) | undefined;
}

const REACH = 1024;

/** Creates a filter from one pattern and a check of what it matched. */
export function createPatternFilter(options: PatternFilterOptions): Filter {
  const { label, placeholder, trigger, beginning, measure } = options;
  const searching = { pattern: new RegExp(options.pattern.source, `gi${options.pattern.flags}`), reach: REACH };
  const sticky = new RegExp(options.pattern.source, `yi${options.pattern.flags}`);

  const endOf = (text: string, found: string, start: number): number | null => {
    const end = start + found.length;
    return measure === undefined ? end : measure(text, start, end);
  };
  function* search(text: string, atOnce: number): Steps<readonly Span[]> {
    const spans: Span[] = [];
    yield* findInWindows(text, searching, atOnce, (found, start) => {
      const end = endOf(text, found, start);
      if (end !== null) spans.push({ start, end });
      // A wrong beginning may hide a right one: a short number before a card's.
      return end ?? start + 1;
    });
    return spans;
  }

  return {
    label,
    placeholder,
    trigger,
    beginning,
    findAll: (text) => runAtOnce(search(text, text.length)),
    search: (text) => search(text, 0),
    endAt(text, at) {
      sticky.lastIndex = at;
      const match = sticky.exec(text);
      return match === null ? null : endOf(text, match[0], at);
    },
  };
}

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

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const V4 = `${OCTET}(?:\\.${OCTET}){3}`;

/** Addresses of IP, version 4 in dots and version 6 with colons, with a length of network behind them or not. */
export const ipAddressFilter = createPatternFilter({
  label: 'IP address',
  placeholder: '[IP_ADDRESS]',
  trigger: '\\d{1,3}\\.\\d{1,3}\\.|[0-9a-f]{0,4}:[0-9a-f:]',
  pattern: new RegExp(
    `(?<![\\w.]|\\bv(?:ersion)? ?|\\d-)${V4}(?:/(?:3[0-2]|[12]?\\d)(?!\\d))?(?!\\w|-\\d|\\.\\w)` +
      `|(?<![\\w:.])(?:[0-9a-f]{0,4}:){2,7}(?:${V4}|[0-9a-f]{0,4})(?:%[\\w]{1,15})?(?:/\\d{1,3})?(?![\\w:])`,
  ),
  measure(text, start, end) {
    const match = text.slice(start, end);
    return !match.includes(':') || isVersion6(match.replace(/[%/].*$/, '')) ? end : null;
  },
});

/** Eight groups, or fewer with one gap; a time of day and `::` alone are none. */
function isVersion6(address: string): boolean {
  const [before = '', after, ...more] = address.split('::');
  if (more.length > 0) return false;
  const groupsOf = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const groups = [...groupsOf(before), ...groupsOf(after ?? '')];
  if (groups.includes('')) return false;
  const count = groups.length + (groups.at(-1)?.includes('.') === true ? 1 : 0);
  if (after === undefined) return count === 8;
  // Two short groups and a gap are as likely a name in C++ or a ratio.
  return count < 8 && groups.some((group) => /\d/.test(group)) && groups.join('').length >= 3;
}

/** Fewest and most digits of a number with its country code (E.164). */
const MIN_DIGITS = 8;
const MAX_DIGITS = 15;

/**
 * Telephone numbers that look like one: with a country code, or in the groups of the North American plan, or in
 * European groups with a leading zero. A bare run of digits is no phone number; too many other numbers look like it.
 */
export const phoneFilter = createPatternFilter({
  label: 'Phone',
  placeholder: '[PHONE]',
  trigger: '(?:\\+|00|\\(|[2-9]|0|1)\\d{0,4}[\\s).-]{0,2}\\d',
  pattern: new RegExp(
    [
      // +49 30 901820, +1 (415) 555-2671, 0044 20 7946 0958
      '(?<![\\w+]|\\d )(?:\\+|00)[1-9]\\d{0,2}(?:[ .-]?\\(0?\\d{1,4}\\))?(?:[ ./-]?\\d{1,5}){2,6}(?![\\w])',
      // (415) 555-2671, 415-555-2671, 1-800-555-0199
      '(?<![\\w+-]|\\d[.,/:])(?:1[ .-])?(?:\\([2-9]\\d{2}\\) ?|[2-9]\\d{2}[.-]|[2-9]\\d{2} )[2-9]\\d{2}[ .-]\\d{4}(?![\\w-]|\\.\\d)',
      // 020 7946 0958, 030/901820, 06 12 34 56 78
      '(?<![\\w+/-]|\\d[.,: ])0[1-9]\\d{0,3}(?:(?: \\d{2,8}){1,4}|(?:-|/ ?)\\d{4,8})(?![\\w-]|[./:]\\d)',
    ].join('|'),
  ),
  measure(text, start, end) {
    const match = text.slice(start, end);
    const digits = match.replace(/\D/g, '').length;
    return digits >= MIN_DIGITS && digits <= MAX_DIGITS + (match.startsWith('00') ? 2 : 0) ? end : null;
  },
});

/** Beginnings and lengths of the card networks; a checksum alone lets one number in ten pass. */
const NETWORKS =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|6(?:011|4[4-9]\d|5\d\d|2\d\d|0\d\d|[37]\d\d)\d{12,15}|35\d{14})$/;

/** Numbers of payment cards, in one piece or in groups, that pass the Luhn check. */
export const creditCardFilter = createPatternFilter({
  label: 'Credit card',
  placeholder: '[CREDIT_CARD]',
  trigger: '[2-6](?:[ -]?\\d){12}',
  pattern: /(?<![\w.]|\d-)[2-6](?:\d{12,18}|\d{3}(?:[ -]\d{4}){2}[ -]\d{1,7}|\d{3}[ -]\d{6}[ -]\d{4,5})(?![\w]|[.-]\d)/,
  measure(text, start, end) {
    const digits = text.slice(start, end).replace(/[ -]/g, '');
    return NETWORKS.test(digits) && hasLuhnChecksum(digits) ? end : null;
  },
});

function hasLuhnChecksum(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i += 1) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Handed out in advertisements and therefore never valid. */
const WORTHLESS: ReadonlySet<string> = new Set(['078051120', '219099999', '123456789', '111111111']);

/**
 * Social security numbers of the United States in their three groups, with the same separator between them. Groups
 * that are never issued are none: area 000, 666 and 900 to 999, group 00, serial 0000.
 */
export const ssnFilter = createPatternFilter({
  label: 'SSN',
  placeholder: '[SSN]',
  trigger: '\\d{3}[ -]\\d{2}[ -]\\d{4}',
  pattern:
    /(?<![\w+]|[\w+]-|\d[ ./])(?!000|666|9)\d{3}(?:-(?!00)\d{2}-|[ ](?!00)\d{2}[ ])(?!0000)\d{4}(?!\w|-\w|[ ./]\d)/,
  measure: (text, start, end) => (WORTHLESS.has(text.slice(start, end).replace(/\D/g, '')) ? null : end),
});

/**
 * Letters and digits of an address. Scripts without spaces between words are left out: there the words before an address
 * would be a part of it.
 */
const OF_ADDRESS = '\\p{sc=Latin}\\p{sc=Greek}\\p{sc=Cyrillic}\\d';
/** The same for the linear engine, with more characters. */
const MAYBE_OF_ADDRESS = 'a-z0-9\\x{aa}-\\x{1dfff}';

/** Addresses of mail: a local part, an at sign, and a domain with a top level of letters. `icon@2x.png` is none. */
export const emailFilter = createPatternFilter({
  label: 'Email',
  placeholder: '[EMAIL]',
  trigger: `[${MAYBE_OF_ADDRESS}_%+-]@[${MAYBE_OF_ADDRESS}]`,
  beginning: `[${MAYBE_OF_ADDRESS}_][${MAYBE_OF_ADDRESS}._%+'-]{0,63}@[${MAYBE_OF_ADDRESS}]`,
  pattern: new RegExp(
    `(?<![${OF_ADDRESS}_])[${OF_ADDRESS}_](?:[${OF_ADDRESS}._%+'-]{0,62}[${OF_ADDRESS}_%+-])?@(?!\\dx\\.)` +
      `(?:[${OF_ADDRESS}](?:[${OF_ADDRESS}-]{0,61}[${OF_ADDRESS}])?\\.){1,8}` +
      `(?:[${OF_ADDRESS.replace('\\d', '')}]{2,24}|xn--[a-z0-9-]{2,58})(?![${OF_ADDRESS}@]|-[${OF_ADDRESS}])`,
    'u',
  ),
});
