import type { GenerationRecord } from '@model-gateway/core';

/** The second in which the gateway has made an id. */
const SECOND_OF_ID = /^gen-(\d{9,10})-/;

/** The UTC day in whose partition the generation with this id lies, for ever; undefined where the id does not tell. */
export function dayOfId(id: string): string | undefined {
  const second = secondOfId(id);
  return second === undefined ? undefined : toDay(second * 1000);
}

/** The second since the epoch that an id names; undefined for ids that are not the gateway's own. */
export function secondOfId(id: string): number | undefined {
  const [, second] = SECOND_OF_ID.exec(id) ?? [];
  return second === undefined ? undefined : Number(second);
}

/** The day of a generation's partition: of its id, never of its arrival, so that no replay can double it. */
export function dayOfGeneration({ generation }: GenerationRecord): string {
  return dayOfId(generation.id) ?? dayOfBeginning(generation.created_at);
}

/** The day to which the spending of a generation counts. */
export function dayOfBeginning(createdAt: string): string {
  const ms = Date.parse(createdAt);
  return Number.isNaN(ms) ? '1970-01-01' : toDay(ms);
}

/** A time as its day in UTC: `2026-03-01`. */
export function toDay(ms: number): string {
  const number = Math.floor(ms / DAY_MS);
  if (number !== lastDay.number) lastDay = { number, text: new Date(ms).toISOString().slice(0, 10) };
  return lastDay.text;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** The day that was asked for last, which is nearly always the next one, too. */
let lastDay = { number: 0, text: '1970-01-01' };
