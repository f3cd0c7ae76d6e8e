import type { ConfiguredModel, Model } from '@model-gateway/core/wire';

import { modelSetupMessages } from './messages.ts';

type Pricing = NonNullable<NonNullable<ConfiguredModel['endpoints']>[number]['pricing']>;
export type PriceUnit = Exclude<keyof Pricing, 'overrides'>;

/** Prices as they are typed, by unit: of tokens USD a million, of everything else USD each. */
export type TypedPrices = Readonly<Partial<Record<PriceUnit, string>>>;

/** What is charged for tokens; prompt and completion first. */
const TOKEN_UNITS = [
  'prompt',
  'completion',
  'input_cache_read',
  'input_cache_write',
  'input_cache_write_1h',
  'internal_reasoning',
  'audio',
  'audio_output',
  'input_audio_cache',
  'image_token',
  'image_output',
  'video_token',
] as const satisfies readonly PriceUnit[];

/** What is charged one by one. */
const OTHER_UNITS = [
  'request',
  'image',
  'web_search',
  'search_unit',
  'video',
  'video_second',
  'character',
  'audio_second',
  'generated_image',
  'generated_megapixel',
] as const satisfies readonly PriceUnit[];

const isOfTokens = (unit: PriceUnit): boolean => TOKEN_UNITS.some((one) => one === unit);
const ALL_UNITS: readonly (typeof TOKEN_UNITS | typeof OTHER_UNITS)[number][] = [...TOKEN_UNITS, ...OTHER_UNITS];

/** Units that most models have. */
export const MAIN_UNITS: readonly PriceUnit[] = ['prompt', 'completion'];
export const FURTHER_UNITS: readonly PriceUnit[] = ALL_UNITS.filter((unit) => !MAIN_UNITS.includes(unit));

/** What a price is of, with its unit. */
export function toPriceLabel(unit: PriceUnit): string {
  const t = modelSetupMessages().prices;
  const known = ALL_UNITS.find((one) => one === unit);
  return (isOfTokens(unit) ? t.perMillion : t.each)(known === undefined ? unit : t[known]);
}

/** Prices as they are shown. */
export function toTypedPrices(pricing: Pricing = {}): TypedPrices {
  const typed = ALL_UNITS.flatMap((unit) => {
    const price = pricing[unit];
    if (price === undefined) return [];
    return [[unit, isOfTokens(unit) ? (toPricePerMillion(price) ?? price) : price]];
  });
  return Object.fromEntries(typed) as TypedPrices;
}

/** Prices as they are sent. What is no price is sent as it was typed, for the gateway to say what is wrong. */
export function toPricing(typed: TypedPrices): Pricing {
  const prices = ALL_UNITS.flatMap((unit) => {
    const text = typed[unit]?.trim() ?? '';
    if (text === '') return [];
    return [[unit, isOfTokens(unit) ? (toPricePerToken(text) ?? text) : text]];
  });
  return Object.fromEntries(prices) as Pricing;
}

/** The prices of a model of the list, as they are typed. What is not known, or not charged beside tokens, is left out. */
export function copyPrices({ pricing }: Pick<Model, 'pricing'>): TypedPrices {
  const known = ALL_UNITS.flatMap((unit) => {
    const price = pricing[unit];
    const isNone = price === undefined || Number(price) < 0 || (!MAIN_UNITS.includes(unit) && Number(price) === 0);
    return isNone ? [] : [[unit, price]];
  });
  return toTypedPrices(Object.fromEntries(known) as Pricing);
}

/** Decimal places of a million. */
const PLACES = 6;
const DECIMAL = /^(\d*)(?:\.(\d*))?$/;

/**
 * A price of a million tokens as one of a token, as text and exactly: a number would add noise. Null for what is no
 * decimal number.
 */
export function toPricePerToken(perMillion: string): string | null {
  return movePoint(perMillion, -PLACES);
}

/** The other way. */
export function toPricePerMillion(perToken: string): string | null {
  return movePoint(perToken, PLACES);
}

function movePoint(text: string, by: number): string | null {
  const [, whole = '', fraction = ''] = DECIMAL.exec(text.trim()) ?? [];
  if (whole === '' && fraction === '') return null;
  const digits = by < 0 ? '0'.repeat(-by) + whole + fraction : whole + fraction + '0'.repeat(by);
  const point = by < 0 ? whole.length : whole.length + by;
  const left = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  const right = digits.slice(point).replace(/0+$/, '');
  return right === '' ? left : `${left}.${right}`;
}
