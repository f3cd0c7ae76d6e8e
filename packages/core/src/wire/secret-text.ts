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

/** Parameters of an address by which servers know their callers: `key`, `api-key`, `access_token`, `sig`, `code`. */
const SECRET_PARAMETER =
  /(?:^|[-_.])(?:(?:api)?key|token|secret|password|passwd|pwd|sig|signature|code|auth|authorization|credentials?)$/i;

/** Two words in one, where the second begins with a capital: `apiKey`, `accessToken`. */
const splitWords = (name: string): string => name.replace(/([a-z\d])([A-Z])/g, '$1-$2');

/** Whether the value of a parameter of an address is a credential, by its name. */
export const isSecretParameter = (name: string): boolean => SECRET_PARAMETER.test(splitWords(name));

/** The credentials among the parameters of an address, as they are and as they stand in it. */
export function secretsOfQuery(query: Readonly<Record<string, string>> = {}): string[] {
  const values = Object.entries(query).flatMap(([name, value]) => (isSecretParameter(name) ? [value] : []));
  return [...new Set(values.flatMap((value) => [value, encodeURIComponent(value), toFormValue(value)]))];
}

const toFormValue = (value: string): string => new URLSearchParams({ v: value }).toString().slice('v='.length);

/** The parameters of an address as they may be shown: credentials by their ends. */
export function maskQuery(query: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, isSecretParameter(name) ? toMask(value) : value]),
  );
}

const toMask = (value: string): string => (isMask(value) ? value : toKeyHint(value));

/** Whether a credential is only what is shown of it. */
export const isMask = (value: string): boolean => value.startsWith('…');
