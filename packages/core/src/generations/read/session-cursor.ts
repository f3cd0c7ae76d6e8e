import { z } from 'zod';

import type { SessionPlace } from '../../stores/store.ts';
import { refuseField } from '../../wire/fields.ts';
import { decodeCursor, encodeCursor } from './cursor-text.ts';

const placeSchema = z.tuple([z.literal('session'), z.number(), z.string()]);

/** Encodes the end of a page of sessions for callers, as an opaque value. */
export const toSessionCursor = (place: SessionPlace | null): string | null =>
  place === null ? null : encodeCursor(JSON.stringify(['session', place.lastAtMs, place.sessionId]));

/** The place in a cursor. Throws `invalid_request` for what is none. */
export function parseSessionCursor(cursor: string | undefined): SessionPlace | undefined {
  if (cursor === undefined) return undefined;
  try {
    const [, lastAtMs, sessionId] = placeSchema.parse(JSON.parse(decodeCursor(cursor)));
    return { lastAtMs, sessionId };
  } catch (cause) {
    throw refuseField('cursor', 'must be next_cursor of another page of sessions', cause);
  }
}
