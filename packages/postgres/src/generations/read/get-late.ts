import { setTimeout as pause } from 'node:timers/promises';

import type { GenerationRecord } from '@model-gateway/core';

import { secondOfId } from '../day-of-generation.ts';

/** A response is a batch ahead of its record: some 50 ms, and several times that on a busy machine. */
const PAUSES_MS = [20, 40, 80, 160];
/** The id is made when the call begins, and no call is expected to take longer. */
const LONGEST_CALL_S = 3600;

/** Looks a few times for a generation that was not there yet; at none whose id says that it is older than any call. */
export async function getLate(
  id: string,
  get: (id: string) => Promise<GenerationRecord | undefined>,
  nowMs: number,
): Promise<GenerationRecord | undefined> {
  const second = secondOfId(id);
  if (second === undefined || nowMs / 1000 - second > LONGEST_CALL_S) return undefined;
  for (const ms of PAUSES_MS) {
    await pause(ms);
    const found = await get(id);
    if (found !== undefined) return found;
  }
  return undefined;
}
