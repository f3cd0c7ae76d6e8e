import { type Charge, type Cost, costOfCharges, type Prices, pricesFor, type UnitPrices } from '../catalog/prices.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import type { SpeechRequest } from '../wire/speech.ts';

/** Whether an endpoint charges by tokens alone, so that upstream has to count them. */
export const isChargedByTokens = ({ character, prompt }: UnitPrices): boolean =>
  character === undefined && prompt !== undefined;

/** Characters are what people count as such: an emoji is one. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

/**
 * The exact cost of a speech: by the characters of its text where they have a price, else by the tokens of text and
 * audio, and for the request. Null where a price is missing.
 */
export function costOfSpeech(all: Prices, { input }: SpeechRequest, usage: Usage, at: number): Cost | null {
  const prices = pricesFor(all, usage.prompt_tokens, at);
  const request = toCharge('request', 1, prices.request ?? 0n);
  if (prices.character !== undefined) {
    return costOfCharges([toCharge('character', countCharacters(input), prices.character), request], []);
  }
  const spoken = audioPriceOf(prices);
  if (prices.prompt === undefined || spoken === undefined) return null;
  return costOfCharges(
    [toCharge('prompt', usage.prompt_tokens, prices.prompt), request],
    [toCharge(spoken.unit, usage.completion_tokens, spoken.price)],
  );
}

const toCharge = (unit: Charge['unit'], count: number, price: bigint): Charge => ({ unit, count, price });

/** All that such a model puts out is audio. */
function audioPriceOf({ audio_output: audio, completion }: UnitPrices): Omit<Charge, 'count'> | undefined {
  if (audio !== undefined) return { unit: 'audio_output', price: audio };
  return completion === undefined ? undefined : { unit: 'completion', price: completion };
}

/** Providers count some 20 to 32 tokens a second, in which people say about 15 characters. */
const AUDIO_TOKENS_A_CHARACTER = 2;

/** About how many tokens of audio a text becomes. */
export const estimateAudioTokens = ({ input, speed }: SpeechRequest): number =>
  Math.ceil((countCharacters(input) * AUDIO_TOKENS_A_CHARACTER) / (speed ?? 1));

/** Slow speech, and pauses, take several times as long. */
const MOST_TOKENS_A_CHARACTER = 10;

const ATTO_PER_NANO = 10n ** 9n;

/** The most that a speech may cost, in billionths of a dollar; null where a price is missing. */
export function worstCaseOfSpeech(prices: Prices, request: SpeechRequest, textTokens: number): number | null {
  const worsts = [prices, ...(prices.overrides ?? []).map((override) => ({ ...prices, ...override.prices }))].map(
    (held) => worstAt(held, request, textTokens),
  );
  let worst = 0n;
  for (const atto of worsts) {
    if (atto === null) return null;
    if (atto > worst) worst = atto;
  }
  return Number((worst + ATTO_PER_NANO - 1n) / ATTO_PER_NANO);
}

function worstAt(prices: UnitPrices, { input, speed }: SpeechRequest, textTokens: number): bigint | null {
  const request = prices.request ?? 0n;
  const characters = countCharacters(input);
  if (prices.character !== undefined) return BigInt(characters) * prices.character + request;
  const spoken = audioPriceOf(prices);
  if (prices.prompt === undefined || spoken === undefined) return null;
  const audioTokens = Math.ceil((characters * MOST_TOKENS_A_CHARACTER) / Math.min(speed ?? 1, 1));
  return BigInt(textTokens) * prices.prompt + BigInt(audioTokens) * spoken.price + request;
}
