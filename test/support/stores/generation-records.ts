import type { StoredContent } from '@model-gateway/core';

import { toContent, toTurns } from '../../../packages/core/testing/rows.ts';

export { toContent, toKey, toRecord, toTurns } from '../../../packages/core/testing/rows.ts';

/** A text that can only be this generation's. Of very different lengths, so that a write may be cut short anywhere. */
export function textOf(id: string): string {
  return id.repeat(1 + ((id.codePointAt(id.length - 1) ?? 0) % 7) ** 4);
}

/** Turns that calls have in common, so that most of what they store are references. */
const SHARED = toTurns(12);

/** The content of a generation in a store that is killed: a call of a long conversation, or a short one. */
export function toKilledContent(id: string): StoredContent {
  const turn = (id.codePointAt(id.length - 1) ?? 0) % (SHARED.length + 4);
  const shared = SHARED[turn];
  const own = toContent(textOf(id));
  return shared === undefined ? own : { ...shared, output: own.output };
}
