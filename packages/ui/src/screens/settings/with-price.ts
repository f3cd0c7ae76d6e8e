import type { Settings } from '@model-gateway/core/wire';

type Prices = Settings['routing']['max_price'];

/** The bounds with one as it was typed; an empty one is none. What is no price is the gateway's to refuse. */
export function withPrice(prices: Prices, unit: keyof Prices, typed: string): Prices {
  const { [unit]: _, ...others } = prices;
  return typed.trim() === '' ? others : { ...others, [unit]: typed.trim() };
}
