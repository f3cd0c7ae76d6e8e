import { GatewayError, messageOf } from '../foundation/errors.ts';
import type { SecretBox } from '../foundation/host.ts';
import { type Issue, parseWith, refuseIssues } from '../foundation/parse.ts';
import { byokContextOf, mailContextOf, providerContextOf } from '../stores/sealed-contexts.ts';
import type { ProviderRecord } from '../stores/store.ts';
import { isMask, isSecretParameter, maskKeys, maskQuery, refuseField, toKeyHint } from '../wire/fields.ts';
import { defaultKeyName, type ProviderSettings, storedProviderSettingsSchema } from '../wire/provider-settings.ts';
import type { ProviderSetup, UpdateProviderRequest } from '../wire/provider-setup.ts';
import type { SetupHost } from './setup-host.ts';

/** What a row has sealed. */
interface ProviderSecrets {
  readonly apiKey?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The parameters of the address that are credentials. Rows of earlier versions have none. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** The keys of a list, by their names. */
  readonly apiKeys?: Readonly<Record<string, string>> | undefined;
}

type KeyList = NonNullable<ProviderSettings['apiKeys']>;

/** The host's parts that rows of providers need. */
type RowHost = Pick<SetupHost, 'secrets' | 'findProblems' | 'describe'>;

/** Makes the row of a provider. Throws `invalid_request` for settings that the host finds wrong with. */
export async function createProviderRow(
  settings: ProviderSettings,
  { host, enabled, at }: { readonly host: RowHost; readonly enabled: boolean; readonly at: string },
): Promise<ProviderRecord> {
  refuseProblems(host.findProblems(settings));
  if (settings.apiKeys !== undefined) unmaskKeys(settings.apiKeys, {});
  return { ...(await toRow(settings, host)), enabled, createdAt: at, updatedAt: null };
}

/** The settings of a row with what it has sealed. Rejects when that cannot be opened; throws for an unreadable row. */
async function readProviderRow(row: ProviderRecord, host: Pick<SetupHost, 'secrets'>): Promise<ProviderSettings> {
  const settings = readOpenSettings(row);
  const { query, apiKeys, ...secrets } = await openSecrets(row, host);
  const keys = settings.apiKeys && unmaskKeys(settings.apiKeys, apiKeys);
  return { ...settings, ...secrets, apiKeys: keys, query: { ...settings.query, ...query } };
}

/** Tables whose rows hold something sealed, and the mail server of the settings. */
export type SealedTable = 'providers' | 'byokKeys' | 'mail';

/** A row that holds something sealed. */
export interface SealedRow {
  readonly id: string;
  /** Null for nothing. */
  readonly sealed: string | null;
}

/** Seals what a row holds with another box. Rejects when it cannot be opened. */
export async function resealRow<Row extends SealedRow>(
  table: SealedTable,
  row: Row,
  { from, to }: { readonly from: SecretBox; readonly to: SecretBox },
): Promise<Row> {
  if (row.sealed === null) return row;
  const context = { providers: providerContextOf, byokKeys: byokContextOf, mail: mailContextOf }[table](row.id);
  return { ...row, sealed: await to.seal(await from.open(row.sealed, context), context) };
}

/** The settings of a row without what it has sealed. Throws for a row that another version has written otherwise. */
export function readOpenSettings(row: ProviderRecord): ProviderSettings {
  return parseWith(storedProviderSettingsSchema, row.settings);
}

/**
 * Makes the changed row. A key that cannot be opened stays sealed until it is given again, and no saved secret goes to
 * another server than the one it was given for. Throws `invalid_request`.
 */
export async function changeProviderRow(
  row: ProviderRecord,
  { enabled = row.enabled, apiKey, headers, query: given, ...changes }: UpdateProviderRequest,
  { host, at }: { readonly host: RowHost; readonly at: string },
): Promise<ProviderRecord> {
  const before = readOpenSettings(row);
  const open = withoutNulls({ ...before, ...changes, query: given ?? before.query });
  const saved = row.sealed === null ? NO_SECRETS : await openSecrets(row, host).catch(() => null);
  const givesQuery = secretsIn(given ?? {}).some(([, value]) => !isMask(value));
  const givesKeys = changes.apiKeys !== undefined;
  const staysLocked = saved === null && apiKey === undefined && headers === undefined && !givesQuery && !givesKeys;
  const isMoved = originOf(before, host) !== originOf(open, host);
  if (isMoved) refuseMovedSecrets(row, { apiKey, apiKeys: open.apiKeys, headers, query: open.query });
  const next: ProviderSettings = {
    ...open,
    apiKey: apiKey === undefined ? (saved?.apiKey ?? open.apiKey) : apiKey,
    apiKeys: staysLocked || open.apiKeys === undefined ? open.apiKeys : unmaskKeys(open.apiKeys, saved?.apiKeys),
    headers: mergeHeaders(isMoved ? {} : (saved?.headers ?? {}), headers ?? {}),
    query: staysLocked ? open.query : unmaskQuery(open.query, { ...before.query, ...saved?.query }),
  };
  // A key that is sealed and cannot be opened is a key, all the same.
  refuseProblems(host.findProblems(staysLocked ? { ...next, apiKey: null } : next));
  const made = staysLocked ? { settings: toPlain(next), ...sealedPartOf(row) } : await toRow(next, host);
  return { ...made, id: row.id, enabled, createdAt: row.createdAt, updatedAt: at };
}

/** Completes what is tested before it is saved by the secrets of the saved provider that it changes. */
export async function addSavedSecrets(
  draft: ProviderSettings,
  row: ProviderRecord,
  host: RowHost,
): Promise<ProviderSettings> {
  const before = readOpenSettings(row);
  if (originOf(before, host) !== originOf(draft, host)) return draft;
  const saved = await openSecrets(row, host).catch(() => NO_SECRETS);
  const { apiKey = saved.apiKey } = draft;
  const query = unmaskQuery(draft.query, { ...before.query, ...saved.query });
  const apiKeys = draft.apiKeys && unmaskKeys(draft.apiKeys, saved.apiKeys);
  return { ...draft, apiKey, apiKeys, headers: { ...saved.headers, ...draft.headers }, query };
}

const secretsIn = (query: Readonly<Record<string, string>>) =>
  Object.entries(query).filter(([name]) => isSecretParameter(name));

/** Puts saved credentials in place of what is shown of them. Throws `invalid_request` for one that is not there. */
function unmaskQuery(
  query: Readonly<Record<string, string>>,
  saved: Readonly<Record<string, string>>,
): Record<string, string> {
  const unmasked = secretsIn(query).flatMap(([name, value]) => {
    if (!isMask(value)) return [];
    const known = saved[name];
    if (known === undefined || isMask(known)) {
      throw refuseField(
        `query.${name}`,
        'is only the end of a credential that is not saved: give the whole credential',
      );
    }
    return [[name, known] as const];
  });
  return { ...query, ...Object.fromEntries(unmasked) };
}

const isGiven = (key: string): boolean => key !== '' && !isMask(key);

/** Puts saved keys in place of what is shown of them. Throws `invalid_request` for one that is not there. */
function unmaskKeys(keys: KeyList, saved: ProviderSecrets['apiKeys'] = {}): KeyList {
  return keys.map((entry, at) => {
    if (isGiven(entry.key)) return entry;
    const name = entry.name ?? defaultKeyName(at);
    const known = Object.hasOwn(saved, name) ? saved[name] : undefined;
    if (known === undefined) throw refuseField(`apiKeys.${at}.key`, 'is missing: no key of this name is saved');
    return { ...entry, key: known };
  });
}

const NO_SECRETS: ProviderSecrets = { headers: {} };

async function openSecrets({ id, sealed }: ProviderRecord, { secrets }: Pick<SetupHost, 'secrets'>) {
  if (sealed === null) return NO_SECRETS;
  return JSON.parse(await secrets.open(sealed, providerContextOf(id))) as ProviderSecrets;
}

type MadeRow = Omit<ProviderRecord, 'enabled' | 'createdAt' | 'updatedAt'>;

async function toRow(settings: ProviderSettings, { secrets }: RowHost): Promise<MadeRow> {
  const { slug, apiKey, apiKeys = [], headers } = settings;
  const query = Object.fromEntries(secretsIn(settings.query));
  const hasQuery = Object.keys(query).length > 0;
  const byName = Object.fromEntries(apiKeys.map(({ name, key }, at) => [name ?? defaultKeyName(at), key]));
  const held: ProviderSecrets = {
    apiKey: apiKey ?? undefined,
    headers,
    ...(hasQuery && { query }),
    ...(apiKeys.length > 0 && { apiKeys: byName }),
  };
  const shownKey = held.apiKey ?? apiKeys[0]?.key;
  const headerNames = Object.keys(headers);
  const isNone = shownKey === undefined && headerNames.length === 0 && !hasQuery;
  return {
    id: slug,
    settings: toPlain(settings),
    sealed: isNone ? null : await secrets.seal(JSON.stringify(held), providerContextOf(slug)),
    keyHint: shownKey === undefined ? null : toKeyHint(shownKey),
    headerNames,
  };
}

const sealedPartOf = ({ id, sealed, keyHint, headerNames }: ProviderRecord) => ({ id, sealed, keyHint, headerNames });

/** The settings without secrets; of parameters that are credentials, their ends. That no key is wanted is none. */
function toPlain({ apiKey, apiKeys, headers: _, ...plain }: ProviderSettings): ProviderRecord['settings'] {
  const shown = { ...plain, ...(apiKeys && { apiKeys: maskKeys(apiKeys) }), query: maskQuery(plain.query) };
  return apiKey === null ? { ...shown, apiKey } : shown;
}

function refuseMovedSecrets(
  { keyHint, headerNames }: ProviderRecord,
  {
    apiKey,
    apiKeys = [],
    headers,
    query = {},
  }: Pick<UpdateProviderRequest, 'apiKey' | 'apiKeys' | 'headers' | 'query'>,
): void {
  const why = 'the saved one was given for another server: give it again, or null for none';
  const unmoved = apiKeys.findIndex(({ key }) => !isGiven(key));
  if (unmoved !== -1) throw refuseField(`apiKeys.${unmoved}.key`, why);
  if (keyHint !== null && apiKey === undefined && apiKeys.length === 0) throw refuseField('apiKey', why);
  const lost = headerNames.find((name) => headers?.[name] === undefined);
  if (lost !== undefined) throw refuseField(`headers.${lost}`, why);
  const masked = secretsIn(query).find(([, value]) => isMask(value));
  if (masked === undefined) return;
  throw refuseField(`query.${masked[0]}`, 'the saved one was given for another server: give it again, or leave it out');
}

/** What a saved secret was given for: a server, or a package as it is set up. */
function originOf(settings: ProviderSettings, { describe }: RowHost): string | undefined {
  const { package: name, factory, options, baseUrl } = settings;
  if (name !== undefined) return JSON.stringify([name, factory, options, baseUrl]);
  return URL.parse(describe(settings)?.address ?? '')?.origin;
}

function mergeHeaders(
  saved: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const merged = Object.entries({ ...saved, ...changes });
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null));
}

function withoutNulls(settings: Readonly<Record<string, unknown>>): ProviderSettings {
  // Null for the key has a meaning of its own.
  const given = Object.entries(settings).filter(
    ([name, value]) => value !== undefined && (value !== null || name === 'apiKey'),
  );
  return storedProviderSettingsSchema.parse(Object.fromEntries(given));
}

function refuseProblems(issues: readonly Issue[]): void {
  if (issues.length > 0) throw refuseIssues(issues.map(({ path, message }) => ({ path: path || 'body', message })));
}

/** `not_found` for a slug that no saved provider has. */
export function noProvider(slug: string): GatewayError {
  return new GatewayError('not_found', `No provider ${slug.slice(0, 100)} was set up through the API`);
}

/** Whether a stored provider is called, and why not. */
export interface ProviderSetupState {
  readonly status: ProviderSetup['status'];
  readonly problem: string | null;
}

/** A stored provider with its key, or why it is not called. */
export type OpenedProvider =
  | { readonly status: 'ready'; readonly problem: null; readonly settings: ProviderSettings }
  | (ProviderSetupState & { readonly status: Exclude<ProviderSetupState['status'], 'ready'> });

/** Reads a stored provider, and opens what it has sealed. Never rejects. */
export async function openProviderRow(
  row: ProviderRecord,
  host: Pick<SetupHost, 'configured' | 'findProblems' | 'secrets'>,
): Promise<OpenedProvider> {
  if (isShadowed(row, host)) {
    return {
      status: 'shadowed',
      problem: 'The configuration has a provider with the same slug, which takes precedence',
    };
  }
  if (!row.enabled) return { status: 'off', problem: null };
  try {
    const problems = host.findProblems({ ...readOpenSettings(row), ...(row.keyHint !== null && { apiKey: null }) });
    if (problems.length > 0) return { status: 'failed', problem: describeProblems(problems) };
  } catch (error) {
    return { status: 'failed', problem: `Its settings cannot be read: ${messageOf(error)}` };
  }
  try {
    return { status: 'ready', problem: null, settings: await readProviderRow(row, host) };
  } catch (error) {
    return { status: 'locked', problem: `Its key cannot be opened: ${messageOf(error)}. Give the key again` };
  }
}

/** Whether the configuration has a provider of the same slug. */
export const isShadowed = ({ id }: ProviderRecord, { configured }: Pick<SetupHost, 'configured'>): boolean =>
  configured.providers.some(({ slug }) => slug === id);

export const describeProblems = (issues: readonly Issue[]): string =>
  issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
