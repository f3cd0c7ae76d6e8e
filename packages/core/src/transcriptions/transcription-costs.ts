import { type Cost, costOf, costOfCharges, type Prices, pricesFor, type UnitPrices } from '../catalog/prices.ts';
import type { AudioFile } from '../providers/audio-contract.ts';
import type { Usage } from '../wire/chat-chunk.ts';

/** Whether an endpoint charges by the length of the audio, so that upstream has to name it. */
export const isChargedBySeconds = ({ audio_second: second }: UnitPrices): boolean => second !== undefined;

/**
 * The exact cost of a transcription: by the length of its audio where that has a price, and else by tokens. Null where a
 * price or the length is missing.
 */
export function costOfTranscription(all: Prices, usage: Usage, seconds: number | undefined, at: number): Cost | null {
  const prices = pricesFor(all, usage.prompt_tokens, at);
  if (prices.audio_second === undefined) return costOf(all, usage, { images: 0, at });
  if (seconds === undefined) return null;
  const request = { unit: 'request', count: 1, price: prices.request ?? 0n } as const;
  return costOfCharges([{ unit: 'audio_second', count: seconds, price: prices.audio_second }, request], []);
}

/** The fewest bytes that a second of audio has, by its format; of a format that is not known, those of speech codecs. */
const LEAST_BYTES_A_SECOND: ReadonlyMap<string, number> = new Map([
  ['wav', 4000],
  ['flac', 4000],
  ['mp3', 1000],
  ['m4a', 1000],
  ['aac', 1000],
]);
const LEAST_OF_ANY = 750;
/** The rate of most recordings that people send: 64 kbit/s. */
const USUAL_BYTES_A_SECOND = 8000;

/** About the length of audio where neither its header nor upstream tells. */
export const estimateSeconds = ({ seconds, byteLength }: AudioFile): number =>
  seconds ?? Math.round(byteLength / USUAL_BYTES_A_SECOND);

const mostSeconds = ({ seconds, byteLength, format }: AudioFile): number =>
  Math.ceil(seconds ?? byteLength / (LEAST_BYTES_A_SECOND.get(format) ?? LEAST_OF_ANY)) + 1;

/** More than any provider counts for a second of audio, and more than anybody says in it. */
const MOST_TOKENS_A_SECOND = 50;

const ATTO_PER_NANO = 10n ** 9n;

/** The most that a transcription may cost, in billionths of a dollar; null where a price is missing. */
export function worstCaseOfTranscription(prices: Prices, audio: AudioFile): number | null {
  const seconds = BigInt(mostSeconds(audio));
  let worst = 0n;
  for (const held of [prices, ...(prices.overrides ?? []).map((override) => ({ ...prices, ...override.prices }))]) {
    const atto = worstAt(held, seconds);
    if (atto === null) return null;
    if (atto > worst) worst = atto;
  }
  return Number((worst + ATTO_PER_NANO - 1n) / ATTO_PER_NANO);
}

function worstAt(prices: UnitPrices, seconds: bigint): bigint | null {
  const request = prices.request ?? 0n;
  if (prices.audio_second !== undefined) return seconds * prices.audio_second + request;
  if (prices.prompt === undefined || prices.completion === undefined) return null;
  const read = prices.audio !== undefined && prices.audio > prices.prompt ? prices.audio : prices.prompt;
  return seconds * BigInt(MOST_TOKENS_A_SECOND) * (read + prices.completion) + request;
}
