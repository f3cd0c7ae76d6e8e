import { isObject, isRecord } from '../../../foundation/parse.ts';

/** Upstream itself accepts no deeper ones, and serialising JSON without a limit of depth would exhaust the stack. */
const MAX_DEPTH = 100;

/** Reads a JSON object; undefined when the text is none, or one that is nested too deeply. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  return isDeeperThan(value, MAX_DEPTH) ? undefined : value;
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (!isObject(value)) return false;
  if (depth === 0) return true;
  return Object.values(value).some((inner) => isDeeperThan(inner, depth - 1));
}
