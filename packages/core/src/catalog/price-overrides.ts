import type { PriceUnit } from '../wire/model-definition.ts';
import type { PricingOverride } from '../wire/models.ts';

/** A unit that is missing has no known price. */
export type UnitPrices = { readonly [unit in PriceUnit]?: bigint };

/** Prices that replace the common ones under conditions, ready to be looked up. */
export interface PriceOverride {
  readonly minPromptTokens: number | null;
  /** Minutes since midnight UTC, half-open; null at any time. */
  readonly window: { readonly start: number; readonly end: number } | null;
  /** 0 is Sunday; null on every day. */
  readonly days: ReadonlySet<number> | null;
  readonly prices: UnitPrices;
}

/** Numbers of the days, as in `Date`. */
const DAY_NUMBERS = { sunday: 0, monday: 1, tuesday: 2, wednesday: 3, thursday: 4, friday: 5, saturday: 6 } as const;

/** Reads the conditions of an override; its prices are read already. */
export function toPriceOverride(override: PricingOverride, prices: UnitPrices): PriceOverride {
  const { min_prompt_tokens: minPromptTokens, utc_start: start, utc_end: end, utc_days: days } = override;
  return {
    minPromptTokens: minPromptTokens ?? null,
    window: start === undefined || end === undefined ? null : { start: toMinutes(start), end: toMinutes(end) },
    days: days === undefined ? null : new Set(days.map((day) => DAY_NUMBERS[day])),
    prices,
  };
}

const toMinutes = (hhmm: number): number => Math.floor(hhmm / 100) * 60 + (hhmm % 100);

/** Whether a call of so many prompt tokens that ended at a time (Unix milliseconds) is charged by an override. */
export function appliesTo({ minPromptTokens, window, days }: PriceOverride, promptTokens: number, at: number): boolean {
  if (minPromptTokens !== null && promptTokens <= minPromptTokens) return false;
  if (window === null && days === null) return true;
  const date = new Date(at);
  if (days !== null && !days.has(date.getUTCDay())) return false;
  if (window === null) return true;
  const minute = date.getUTCHours() * 60 + date.getUTCMinutes();
  return window.start <= window.end
    ? minute >= window.start && minute < window.end
    : minute >= window.start || minute < window.end;
}
