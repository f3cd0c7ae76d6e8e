import { z } from 'zod';

/**
 * A vector as upstream sends it: numbers, or little-endian 32-bit floats in base64. Checked by a loop: a schema of each
 * number takes a hundred vectors of 1,536 several times as long as JSON itself, and copies them.
 */
export const vectorSchema = z.custom<readonly number[] | string>(
  (value) => typeof value === 'string' || isNumbers(value),
  'must be a list of numbers, or base64',
);

/** The same where only numbers come. */
export const numbersSchema = z.custom<readonly number[]>(isNumbers, 'must be a list of numbers');

function isNumbers(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  // A number beyond what JavaScript holds would become null in the response.
  for (let at = 0; at < value.length; at += 1) if (!Number.isFinite(value[at])) return false;
  return true;
}
