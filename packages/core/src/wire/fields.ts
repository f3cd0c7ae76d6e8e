import { z } from 'zod';

import { GatewayError } from '../foundation/errors.ts';

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

/** The keys of a list as they may be shown, by their ends. */
export const maskKeys = <Entry extends { readonly key: string }>(keys: readonly Entry[]): Entry[] =>
  keys.map((entry) => ({ ...entry, key: toMask(entry.key) }));

const toMask = (value: string): string => (isMask(value) ? value : toKeyHint(value));

/** Whether a credential is only what is shown of it. */
export const isMask = (value: string): boolean => value.startsWith('…');

/**
 * A whole number in a query. `Number` alone would take an empty text for 0, and `1e2` for 100; the schema of a number
 * remains one in the OpenAPI description.
 */
export const wholeNumber = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.preprocess(
    (text) => (typeof text === 'string' && /^-?\d{1,15}$/.test(text) ? Number(text) : text),
    z.int('must be a whole number').min(min).max(max),
  );

/** The same for a number that may have decimals. */
export const decimalNumber = (min: number) =>
  z.preprocess(
    (text) => (typeof text === 'string' && text.trim() !== '' ? Number(text) : text),
    z.number('must be a number').min(min),
  );

/** A parameter that is null in the public API has no text, or this one: some generated clients write it so. */
export const nullableParameter = <Schema extends z.ZodType>(schema: Schema): z.ZodPreprocess<Schema> =>
  z.preprocess((text) => (text === '' || text === 'null' ? undefined : text), schema);

/** The rows of a list: from `offset` (default 0), at most `limit` (1 to 100, default 50; wire.md 2). */
export const pageQuerySchema = z.object({
  offset: nullableParameter(wholeNumber(0).default(0)),
  limit: wholeNumber(1, 100).default(50),
});
type PageQuery = z.infer<typeof pageQuerySchema>;

/** The same for a list that can be narrowed to a workspace; without one it shows the default workspace. */
export const workspacePageQuerySchema = pageQuerySchema.extend({ workspace_id: z.string().optional() });

/** The response to a write that removed something. */
export const deletedSchema = z.object({ deleted: z.literal(true) });

/** One page of a list, in the form of every list on the wire; past the end it is empty. */
export function toPage<Row>(
  rows: readonly Row[],
  { offset, limit }: PageQuery,
): { readonly data: readonly Row[]; readonly total_count: number } {
  return { data: rows.slice(offset, offset + limit), total_count: rows.length };
}

const isHttpUrl = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '';
};

/** An address as an operator writes it. */
export const httpUrlSchema = z
  .string()
  .refine(isHttpUrl, { message: 'must be an http or https address, e.g. "https://host/v1"', abort: true })
  // An address appears in logs and error messages, so it must not contain a secret.
  .refine((text) => URL.parse(text)?.username === '' && URL.parse(text)?.password === '', {
    message: 'must not contain a user name or password: put them in apiKey or headers',
  });

/** An address that paths are added to. */
export const baseUrlSchema = httpUrlSchema.refine((text) => !/[?#]/.test(text), 'must not contain a query or fragment');

/** Where calls come in (wire.md 20): by the host of a region, or by any other, which is global. */
export const DATA_REGIONS = ['global', 'europe', 'us'] as const;
export type DataRegion = (typeof DATA_REGIONS)[number];

/** Which of the three a region of the configuration is. */
export type DataRegionOf = (name: string) => DataRegion;

/**
 * Which of the three a region is by its name alone: `eu`, `europe`, `us`, and names that begin with them, as
 * `eu-west-1`. Any other is global.
 */
export function toDataRegion(name: string): DataRegion {
  const [, word = ''] = /^(eu|europe|us|usa)(?:[^a-z]|$)/i.exec(name) ?? [];
  if (word === '') return 'global';
  return word.toLowerCase().startsWith('eu') ? 'europe' : 'us';
}

/** `invalid_request` for one field, as its schema would refuse it. `path` is dotted: `messages.0.content.1.input_audio`. */
export function refuseField(path: string, problem: string, cause?: unknown): GatewayError {
  return new GatewayError('invalid_request', `${path}: ${problem}`, {
    cause,
    metadata: { issues: [{ path, message: problem }] },
  });
}

/** The same for what one provider cannot take and another may: the next endpoint of the model is tried. */
export const refuseFieldHere = (path: string, problem: string): GatewayError =>
  new GatewayError('invalid_request', `${path}: ${problem}`, {
    isOfEndpoint: true,
    metadata: { issues: [{ path, message: problem }] },
  });

/** The fields of a change that are present: absent ones must not overwrite anything. */
export function givenFields<Change extends object>(
  change: Change,
): { [Name in keyof Change]?: Exclude<Change[Name], undefined> } {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Name in keyof Change]?: Exclude<Change[Name], undefined> };
}

const traceName = z.string().nullish();

/** Names of a call for broadcasts (wire.md 18). Any other key is the caller's own. */
export const traceSchema = z.looseObject({
  trace_id: traceName,
  trace_name: traceName,
  span_name: traceName,
  generation_name: traceName,
  parent_span_id: traceName,
});

/**
 * The end of a span that names none, in Unix milliseconds: what begins in this millisecond is included. A caller's clock
 * may be ahead of ours, at midnight by a day; a span that begins later than now is empty, not refused.
 */
export const toOpenEnd = (nowMs: number, fromMs = 0): number => Math.max(nowMs, fromMs) + 1;

/** A time with its offset, read as milliseconds since the epoch. */
export const momentSchema = z.iso
  .datetime({ offset: true, error: 'must be a time, e.g. 2026-03-01T00:00:00Z' })
  .transform((text) => Date.parse(text));
