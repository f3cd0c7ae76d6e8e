import type { Model } from '@model-gateway/core/wire';

import { formatPricePerMillion, formatPrice } from '../../format/money.ts';

/** A model in the address of its page: most ids have an author, and some have more slashes. */
interface ModelParams {
  readonly author: string;
  readonly _splat: string;
}

export function toModelParams(id: string): ModelParams {
  const [author = '', ...rest] = id.split('/');
  return { author, _splat: rest.join('/') };
}

export const toModelId = ({ author, _splat: rest = '' }: { author: string; _splat?: string | undefined }): string =>
  rest === '' ? author : `${author}/${rest}`;

type Pricing = Model['pricing'];

/** Units that are counted one by one, and in words; all others are tokens. */
const UNIT_WORDS: Readonly<Record<string, string>> = {
  request: 'each',
  image: 'each',
  web_search: 'each',
  video: 'each',
  video_second: 'a second',
};

/** What a model charges for tokens. A model that is charged by something else has no price for them, and is not free. */
export function formatTokenPrice(pricing: Pricing, unit: 'prompt' | 'completion'): string {
  const isCharged = Object.values(pricing).some((price) => Number(price) > 0);
  return Number(pricing[unit]) === 0 && isCharged ? 'no charge' : formatPricePerMillion(pricing[unit]);
}

/** The price of a column of the list: what a model makes is charged by the second or the piece where not by tokens. */
export function formatColumnPrice(pricing: Pricing, unit: 'prompt' | 'completion'): string {
  const price = formatTokenPrice(pricing, unit);
  if (price !== 'no charge') return price;
  const { video_second: second, video } = pricing;
  if (unit === 'completion' && Number(second) > 0) return `${formatPrice(Number(second))}/s`;
  if (unit === 'completion' && Number(video) > 0) return `${formatPrice(Number(video))} each`;
  return '—';
}

/** The same with its unit, where it is a price. */
export function toTokenPriceText(pricing: Pricing, unit: 'prompt' | 'completion'): string {
  const price = formatTokenPrice(pricing, unit);
  return price.startsWith('$') ? `${price} per million tokens` : price;
}

/** The prices beside those of tokens in and out, by unit. What is not charged or not known is left out. */
export function toPriceFacts(pricing: Pricing): readonly (readonly [unit: string, price: string])[] {
  return Object.entries(pricing).flatMap(([unit, price]) => {
    if (unit === 'prompt' || unit === 'completion' || typeof price !== 'string') return [];
    if ((unit === 'request' || unit === 'image') && !(Number(price) > 0)) return [];
    return [[capitalise(unit.replaceAll('_', ' ')), toText(unit, price)]];
  });
}

function toText(unit: string, price: string): string {
  const words = UNIT_WORDS[unit];
  const isPrice = Number(price) > 0;
  if (words === undefined) return `${formatPricePerMillion(price)}${isPrice ? ' per million tokens' : ''}`;
  return isPrice ? `${formatPrice(Number(price))} ${words}` : formatPricePerMillion(price);
}

const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
