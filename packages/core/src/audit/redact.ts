import type { Platform } from '../foundation/platform.ts';

/** The tables whose rows are shown in the audit log. Rows that hold what was said in calls are not among them. */
export type AuditedTable =
  | 'keys'
  | 'members'
  | 'guardrails'
  | 'workspaces'
  | 'destinations'
  | 'providers'
  | 'models'
  | 'byokKeys'
  | 'scimGroups'
  | 'settings'
  | 'prompts'
  | 'presets'
  | 'keyAssignments'
  | 'memberAssignments';

/** A row, or a part of one. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * What is secret, at any depth of any row, by the name of the field in lower case without `_` and `-`. Its value is
 * replaced by a fingerprint, or each value in it where it is an object.
 */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'accesskeyid',
  'accesstoken',
  'apikey',
  'apikeys',
  'authorization',
  'clientsecret',
  'credentials',
  'headers',
  'key',
  'password',
  'privatekey',
  'publickey',
  'query',
  'sealed',
  'secret',
  'secretaccesskey',
  'secretkey',
  'sessiontoken',
  'signingsecret',
  'token',
]);

/** Addresses, whose user, password, path and query may be secrets: the host is shown alone, beside a fingerprint. */
const ADDRESS_FIELDS: ReadonlySet<string> = new Set([
  'baseurl',
  'callbackurl',
  'defaultcallbackurl',
  'endpoint',
  'endpointurl',
  'proxy',
  'url',
]);

/**
 * Fields that are shown of settings whose form is their owner's. All others of them are fingerprints, so that a field
 * which is added one day is not shown by mistake.
 */
const OPEN_CONFIGS: Readonly<
  Partial<Record<AuditedTable, { readonly at: string; readonly shown: readonly string[] }>>
> = {
  destinations: { at: 'config', shown: ['method', 'bucketname', 'region', 'prefix', 'pathtemplate'] },
};

/** A field of limits names a key, and one of views is text of a person. */
const PUBLIC_PATHS: ReadonlySet<string> = new Set(['settings.rate_limits.key', 'settings.call_limits.key']);

/** Keys in texts, where nobody expects one: whoever pastes a key as a name does not want to read it here. */
const KEYS_IN_TEXTS =
  /\b(?:(?:sk|pk|rk|xox[abpr]|gh[opsu]|glpat|hf|gsk)[-_]|AKIA|ASIA|AIza|ya29|eyJ)[-_.A-Za-z0-9]{16,}|\bBearer\s+\S{8,}/g;
/** Schemes are short: without a bound, each word of a long text would be read to its end. */
const USER_IN_ADDRESS = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^/\s@]+@/gi;

/** Texts are cut after so many characters, and rows that are larger all together lose their largest fields. */
const MAX_TEXT = 2000;
const MAX_ROW = 32_000;
const MAX_FIELD = 1000;

/** The beginning of a secret's SHA-256: enough to tell two secrets apart, too little to be one. */
export async function toFingerprint(secret: unknown, { sha256 }: Pick<Platform, 'sha256'>): Promise<string> {
  const hash = await sha256(typeof secret === 'string' ? secret : JSON.stringify(secret));
  return `sha256:${hash.slice(0, 12)}`;
}

/** A text without what looks like a key. */
export async function withoutKeys(text: string, platform: Pick<Platform, 'sha256'>): Promise<string> {
  const found = [...new Set(text.match(KEYS_IN_TEXTS) ?? [])];
  let clean = text;
  for (const key of found) clean = clean.replaceAll(key, await toFingerprint(key, platform));
  return clean.replace(USER_IN_ADDRESS, '$1…@');
}

/** A row without what is secret in it, as it may be shown once it is cut. */
export async function redact(
  table: AuditedTable,
  row: object,
  platform: Pick<Platform, 'sha256'>,
): Promise<Record<string, unknown>> {
  const open = OPEN_CONFIGS[table];
  const fingerprint = (value: unknown): Promise<string> => toFingerprint(value, platform);

  const redactSecret = async (value: unknown): Promise<unknown> => {
    if (value === null || value === undefined || value === '' || typeof value === 'boolean') return value;
    if (Array.isArray(value)) return Promise.all(value.map(fingerprint));
    if (typeof value !== 'object') return fingerprint(value);
    return mapFields(value, (_, inner) => redactSecret(inner));
  };
  const redactAddress = async (value: unknown): Promise<unknown> => {
    if (typeof value !== 'string') return redactSecret(value);
    const url = URL.parse(value);
    if (url === null) return fingerprint(value);
    const isBare = url.pathname === '/' && url.search === '' && url.username === '' && url.password === '';
    return isBare ? url.origin : `${url.origin}/… ${await fingerprint(value)}`;
  };
  const redactField = async (path: string, name: string, value: unknown): Promise<unknown> => {
    const plain = name.toLowerCase().replaceAll(/[_-]/g, '');
    if (SECRET_FIELDS.has(plain) && !PUBLIC_PATHS.has(`${path}.${name}`)) return redactSecret(value);
    if (ADDRESS_FIELDS.has(plain)) return redactAddress(value);
    if (open !== undefined && path === `${table}.${open.at}` && !open.shown.includes(plain)) return redactSecret(value);
    return redactValue(`${path}.${name}`, value);
  };
  const redactValue = async (path: string, value: unknown): Promise<unknown> => {
    if (typeof value === 'string') return withoutKeys(value, platform);
    if (Array.isArray(value)) return Promise.all(value.map((item) => redactValue(path, item)));
    if (typeof value !== 'object' || value === null) return value;
    return mapFields(value, (name, inner) => redactField(path, name, inner), platform);
  };
  return (await redactValue(table, row)) as Record<string, unknown>;
}

async function mapFields(
  value: object,
  map: (name: string, value: unknown) => Promise<unknown>,
  platform?: Pick<Platform, 'sha256'>,
): Promise<Record<string, unknown>> {
  const fields = await Promise.all(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(async ([name, inner]) => [
        platform === undefined ? name : await withoutKeys(name, platform),
        await map(name, inner),
      ]),
  );
  return Object.fromEntries(fields) as Record<string, unknown>;
}

/**
 * A row, or what differs in one, in a length that the log holds. Two rows are compared before: cut, long ones are
 * alike.
 */
export function cut(row: Fields): Record<string, unknown> {
  const short = cutTexts(row) as Record<string, unknown>;
  if (JSON.stringify(short).length <= MAX_ROW) return short;
  const fields = Object.entries(short).map(([name, value]) => {
    const { length } = JSON.stringify(value);
    return [name, length > MAX_FIELD ? `… (${length} characters)` : value];
  });
  return Object.fromEntries(fields) as Record<string, unknown>;
}

function cutTexts(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}… (${value.length} characters)` : value;
  if (Array.isArray(value)) return value.map(cutTexts);
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cutTexts(inner)]));
}

interface Difference<Value> {
  readonly before: Value;
  readonly after: Value;
}

/**
 * The fields that differ, as they were and as they are; in objects the fields of these alone, and of long lists the
 * items of one that are not in the other.
 */
export function toDifference(before: Fields, after: Fields): Difference<Record<string, unknown>> {
  const was: Record<string, unknown> = {};
  const is: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [one, other] = [before[name], after[name]];
    if (JSON.stringify(one) === JSON.stringify(other)) continue;
    const inner = toInnerDifference(one, other);
    if (inner.before !== undefined) was[name] = inner.before;
    if (inner.after !== undefined) is[name] = inner.after;
  }
  return { before: was, after: is };
}

function toInnerDifference(one: unknown, other: unknown): Difference<unknown> {
  if (isFields(one) && isFields(other)) return toDifference(one, other);
  if (!Array.isArray(one) || !Array.isArray(other) || !isLong(one, other)) return { before: one, after: other };
  const items: Difference<unknown[]> = { before: without(other, one), after: without(one, other) };
  // Items that have changed their places alone are all there is to show.
  return items.before.length + items.after.length === 0 ? { before: one, after: other } : items;
}

/** A short list is read more easily as a whole. */
const isLong = (...lists: readonly unknown[][]): boolean =>
  lists.some((list) => JSON.stringify(list).length > MAX_FIELD);

/** Without those of others, each as often as it is there. */
function without(others: readonly unknown[], items: readonly unknown[]): unknown[] {
  const counts = new Map<string, number>();
  for (const other of others.map((each) => JSON.stringify(each))) counts.set(other, (counts.get(other) ?? 0) + 1);
  return items.filter((item) => {
    const text = JSON.stringify(item);
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count <= 0;
  });
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
