import { z } from 'zod';

/** Makes the schema of a secret: the text itself, or a reference, which is resolved before the schema sees it. */
export const secretText = (what: string) =>
  z.string().min(1, 'must not be empty').describe(`${what}: the text itself, env:NAME or file:PATH`);

/** A key. It is sent in a header, where any other character would be an error in every call. */
export const keyText = secretText('Key').regex(
  /^[\x21-\x7e]+$/,
  'must be printable ASCII without spaces; was it copied whole?',
);

/** A shorter key would be told by its end. */
const MIN_HINTED_LENGTH = 12;

/** The end of a key, for people to recognise it by. */
export function toKeyHint(key: string): string {
  return key.length < MIN_HINTED_LENGTH ? '…' : `…${key.slice(-4)}`;
}
