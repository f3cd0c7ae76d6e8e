export { toContent, toKey, toRecord, toTurns } from '../../../packages/core/testing/rows.ts';

/** A text that can only be this generation's. Of very different lengths, so that a write may be cut short anywhere. */
export function textOf(id: string): string {
  return id.repeat(1 + ((id.codePointAt(id.length - 1) ?? 0) % 7) ** 4);
}
