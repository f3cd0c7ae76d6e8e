import { z } from 'zod';

interface TextOptions {
  readonly message?: string;
  /** The schema of the text itself. Default: any text. */
  readonly of?: z.ZodString;
}

/**
 * Makes the schema of a text of at most so many characters. They are counted as code points, as JSON Schema counts them:
 * `length` counts an emoji as two. `meta` states the limit for the OpenAPI document.
 */
export function textUpTo(max: number, { message, of = z.string() }: TextOptions = {}): z.ZodString {
  return of
    .refine((text) => hasAtMost(text, max), message ?? `must have at most ${max} characters`)
    .meta({ maxLength: max });
}

/** Whether a text has at most so many characters, counted as code points. */
export function hasAtMost(text: string, max: number): boolean {
  // No character has more than two UTF-16 units, so that hardly any text has to be counted.
  if (text.length <= max) return true;
  if (text.length > max * 2) return false;
  let count = 0;
  for (const _ of text) count += 1;
  return count <= max;
}
