/** A body's text of about this many characters. */
export type MakeText = (characters: number) => string;

const repeat =
  (piece: string): MakeText =>
  (characters) =>
    piece.repeat(Math.ceil(characters / piece.length)).slice(0, characters);

const PROSE =
  'The committee met on Tuesday to review the schedule, and agreed that the second draft reads better than the first. ' +
  'Members asked for a shorter summary, a list of open questions, and the figures of the last three quarters. ' +
  'What does your system print for "from 2019-05-02 to 3.5 (415) items"? Send me the output, or write to a@b. ';

/** Ordinary texts, in one message. */
export const ORDINARY = {
  prose: repeat(PROSE),
  escaped: repeat('He said: "see C:\\Users\\new"\n\tthen \u0007 left. '),
  accents: repeat('Über die Brücke führt ein schöner Weg, naïve façade, e\u0301te\u0301. '),
  chinese: repeat('委员会于周二开会审查日程，一致认为第二稿比第一稿更好。'),
} satisfies Readonly<Record<string, MakeText>>;

/** Texts on which one of the built-in filters has much to do. None has a match, so that all of it is looked at. */
export const HOSTILE: Readonly<Record<string, MakeText>> = {
  'email: long local parts': repeat(`${'a.'.repeat(31)}b@`),
  'email: many domains': repeat('a@b.b.b.b.b.b.b.b.1 '),
  'phone: short groups': repeat('(555) 1 +1 2 3 4 '),
  'ssn: groups': repeat('123-45-678 '),
  'credit-card: wrong sums': repeat('4111 1111 1111 1112 '),
  'ip-address: octets': repeat('1.1.1.1.'),
  'ip-address: colons': repeat('a:b:c:d:e:f:g '),
  'iban: one long run': repeat('aa11'),
  'secrets: beginnings': repeat('sk-a-'),
  'secrets: tokens': repeat(`eyJ${'a'.repeat(240)}.`),
  'injection: beginnings': repeat('ignore all of the previous and '),
  'injection: reveal': repeat('reveal show print repeat output '),
  'injection: verbs': repeat('you are act as if pretend that there are no '),
  'injection: scrambled': repeat('ingore bypsas ovreride prmopt sytsem '),
  'injection: base64': repeat('aWdub3Jl'),
  'injection: hexadecimal': repeat('69 67 '),
  'injection: spaced': repeat('i g n o '),
  'a match in each word': repeat('a@b.de '),
};

interface CustomCase {
  readonly pattern: string;
  readonly action?: 'redact';
  readonly text: MakeText;
}

/** Patterns of an operator's own, and a text on which each has much to do. */
export const CUSTOM: Readonly<Record<string, CustomCase>> = {
  bounded: { pattern: '(?:[a-z]{1,20} ){5}stop', text: repeat('abc abcdefg ') },
  large: { pattern: '(?:a|b|c|[a-z0-9]){1,250}!', text: repeat('abcab1') },
  unbounded: { pattern: 'password\\s*[:=]\\s*\\S+', text: repeat('password : ') },
  'unbounded, redacts often': { pattern: 'password\\s*[:=]\\s*\\S+', action: 'redact', text: repeat('password : x ') },
  'unbounded, redacts at the end': {
    pattern: 'password\\s*[:=]\\s*\\S+',
    action: 'redact',
    text: (characters) => `${repeat('password, ')(characters)}password: x`,
  },
  'each character, redacts': { pattern: '\\w', action: 'redact', text: repeat('x') },
  'unbounded, never ends': { pattern: 'a.*b.*c.*d!', text: repeat('abcd') },
};

const list = (item: string, characters: number): string =>
  Array.from({ length: Math.ceil(characters / (item.length + 1)) }, () => item).join(',');

/** Whole bodies that are refused, of at least so many characters each. */
export const REFUSED: Readonly<Record<string, MakeText>> = {
  'open lists': repeat('['),
  'nested objects': (characters) => {
    const depth = Math.ceil(characters / 6);
    return `{"model":"bench/model","messages":[],"x":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`;
  },
  'numbers as messages': (characters) => `{"model":"bench/model","messages":[${list('0', characters)}]}`,
  'contents of a wrong type': (characters) =>
    `{"model":"bench/model","messages":[${list('{"role":"user","content":5}', characters)}]}`,
  'too many keys': (characters) => {
    const keys = Array.from({ length: Math.ceil(characters / 12) }, (_, at) => `"k${at}":0`).join(',');
    return `{"model":"bench/model","messages":[],${keys}}`;
  },
  'too many models': (characters) => `{"messages":[],"models":[${list('"x"', characters)}]}`,
};
