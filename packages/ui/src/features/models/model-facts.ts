import type { Model, ModelEndpoint } from '@model-gateway/core/wire';

import { formatPricePerMillion, formatPrice } from '../../format/money.ts';
import { modelMessages } from './messages.ts';

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

/** The tag begins with the provider’s slug; a tier or variant may follow. */
export const providerSlugOf = ({ tag }: ModelEndpoint): string => tag.split('/')[0] ?? tag;

type Pricing = Model['pricing'];

/** Units that are counted one by one, or by the second; all others are tokens. */
const ONE_BY_ONE = new Set([
  'request',
  'image',
  'web_search',
  'search_unit',
  'video',
  'video_second',
  'audio_second',
  'generated_image',
  'generated_megapixel',
]);

type TokenUnit = 'prompt' | 'completion';

/** Whether a model has no price for these tokens because it is charged by something else. */
const isChargedOtherwise = (pricing: Pricing, unit: TokenUnit): boolean =>
  Number(pricing[unit]) === 0 && Object.values(pricing).some((price) => Number(price) > 0);

/** USD per million tokens; null where it is not known, or where the model is charged by something else. */
export function toTokenPrice(pricing: Pricing, unit: TokenUnit): number | null {
  const price = Number(pricing[unit]);
  return price < 0 || Number.isNaN(price) || isChargedOtherwise(pricing, unit) ? null : price * 1e6;
}

/** What a model charges for tokens. A model that is charged by something else has no price for them, and is not free. */
export const formatTokenPrice = (pricing: Pricing, unit: TokenUnit): string =>
  isChargedOtherwise(pricing, unit) ? modelMessages().prices.noCharge : formatPricePerMillion(pricing[unit]);

/** A price, and what it is for; a word such as *free* has no unit. */
export interface UnitPrice {
  readonly price: string;
  readonly unit: string;
}

/**
 * What the list says of a price: that of a million tokens, or of the second or the piece where a model is charged by
 * those. Null where there is none.
 */
export function toUnitPrice(pricing: Pricing, unit: TokenUnit): UnitPrice | null {
  const t = modelMessages().prices.short;
  const price = toTokenPrice(pricing, unit);
  if (price !== null) return { price: formatPricePerMillion(pricing[unit]), unit: price > 0 ? t.million : '' };
  const { video_second: second, video, audio_second: heard, character } = pricing;
  const { generated_image: image, generated_megapixel: megapixel } = pricing;
  const isInput = unit === 'prompt';
  if (isInput && Number(character) > 0) return { price: formatPricePerMillion(character), unit: t.characters };
  const charged: readonly (readonly [price: unknown, unit: string])[] = isInput
    ? [[heard, t.second]]
    : [
        [second, t.second],
        [video, t.video],
        [image, t.image],
        [megapixel, t.megapixel],
      ];
  const found = charged.find(([one]) => Number(one) > 0);
  return found === undefined ? null : { price: formatPrice(Number(found[0])), unit: found[1] };
}

/** The same with its unit, where it is a price. */
export function toTokenPriceText(pricing: Pricing, unit: TokenUnit): string {
  const text = formatTokenPrice(pricing, unit);
  const price = toTokenPrice(pricing, unit);
  return price !== null && price > 0 ? modelMessages().prices.perMillion(text) : text;
}

/** The prices beside those of tokens in and out, by unit. What is not charged or not known is left out. */
export function toPriceFacts(pricing: Pricing): readonly (readonly [unit: string, price: string])[] {
  const { units } = modelMessages().prices;
  return Object.entries(pricing).flatMap(([unit, price]) => {
    if (unit === 'prompt' || unit === 'completion' || typeof price !== 'string') return [];
    if ((unit === 'request' || unit === 'image') && !(Number(price) > 0)) return [];
    return [[units[unit] ?? unit.replaceAll('_', ' '), toText(unit, price)]];
  });
}

function toText(unit: string, price: string): string {
  const t = modelMessages().prices;
  if (!(Number(price) > 0)) return formatPricePerMillion(price);
  if (unit === 'character') return t.perMillionCharacters(formatPricePerMillion(price));
  if (!ONE_BY_ONE.has(unit)) return t.perMillion(formatPricePerMillion(price));
  return (unit.endsWith('_second') ? t.perSecond : t.each)(formatPrice(Number(price)));
}
