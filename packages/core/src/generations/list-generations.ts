import { z } from 'zod';

import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import { GatewayError } from '../foundation/errors.ts';
import { NANO_PER_USD } from '../foundation/money.ts';
import { checkWith } from '../foundation/parse.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Principal, RequestContext } from '../http/request.ts';
import type {
  GenerationFilter,
  GenerationPage,
  GenerationRecord,
  SessionPlace,
  SortedPlace,
  SortedQuery,
  Store,
} from '../stores/store.ts';
import { refuseField } from '../wire/fields.ts';
import { GENERATION_SORTS, NO_VALUE, SORT_ORDERS } from '../wire/generation-fields.ts';
import type { GenerationFilterQuery, GenerationRow, RowFields } from '../wire/generation-list.ts';
import { statusOfGeneration } from '../wire/statuses.ts';
import { isInContent, isInRecord, parseWhere } from './search.ts';

export interface GenerationSearch {
  readonly filter: GenerationFilter;
  /** Looked for in records and contents. */
  readonly text?: string | undefined;
  readonly limit: number;
  /** An id from `GenerationPage.next`. */
  readonly before?: string | undefined;
}

/** The generations that match, and how far back a text was searched. */
export interface FoundGenerations extends GenerationPage {
  /** Number of records whose texts were searched; 0 without a text. */
  readonly searched: number;
  /** Beginning of the oldest of them. */
  readonly searchedBackTo: string | null;
}

export interface GenerationListParts {
  readonly store: Pick<Store, 'generations'>;
  readonly platform: Pick<Platform, 'monotonicNow' | 'setTimer'>;
}

/** Limit of reads from the store for one page; each looks at a bounded number of records. */
const MAX_ROUNDS = 25;
/** A content may have to be read from the disk, and may be large. */
const MAX_CONTENTS = 500;
const MAX_SEARCH_MS = 1500;
/** Without a text, for a store that looks at little in a step. */
const MAX_LIST_MS = 300;
const TEXT_PAGE = 100;

/**
 * Finds generations, newest first. What one page costs is bounded, however many there are: it may hold fewer than
 * `limit` records, even none, while there is more to look through.
 */
export async function listGenerations(search: GenerationSearch, parts: GenerationListParts): Promise<FoundGenerations> {
  const records: GenerationRecord[] = [];
  const budget = {
    contents: MAX_CONTENTS,
    until: parts.platform.monotonicNow() + (search.text === undefined ? MAX_LIST_MS : MAX_SEARCH_MS),
  };
  const progress: SearchProgress = { searched: 0, searchedBackTo: null };
  const isFiltered = Object.values(search.filter).some((value) => value !== undefined);
  const filter = isFiltered ? search.filter : undefined;
  let { before } = search;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const wanted = search.limit - records.length;
    const limit = search.text === undefined ? wanted : TEXT_PAGE;
    const page = await parts.store.generations.page({ limit, before, filter });
    const kept = await selectMatching(page, search, { parts, budget, progress });
    for (const record of kept.records.slice(0, wanted)) records.push(record);
    const last = kept.records[wanted - 1];
    const isMore = last !== undefined && kept.records.length > wanted;
    const next = isMore ? last.generation.id : kept.next;
    const isExhausted = kept.isExhausted || parts.platform.monotonicNow() >= budget.until;
    if (next === null || records.length >= search.limit || isExhausted) return { records, next, ...progress };
    before = next;
    // Yields to the event loop between steps.
    await new Promise<void>((resolve) => parts.platform.setTimer(resolve, 0));
  }
  return { records, next: before ?? null, ...progress };
}

interface SearchProgress {
  searched: number;
  searchedBackTo: string | null;
}

interface Searching {
  readonly parts: GenerationListParts;
  readonly budget: { contents: number; readonly until: number };
  readonly progress: SearchProgress;
}

/** Selects the records of a page that contain the text. At the limit of reads, the page ends early. */
async function selectMatching(
  page: GenerationPage,
  { text }: GenerationSearch,
  { parts, budget, progress }: Searching,
): Promise<GenerationPage & { readonly isExhausted: boolean }> {
  if (text === undefined) return { ...page, isExhausted: false };
  const wanted = text.toLowerCase();
  const records: GenerationRecord[] = [];
  for (const record of page.records) {
    progress.searched += 1;
    progress.searchedBackTo = record.generation.created_at;
    if (isInRecord(wanted, record)) {
      records.push(record);
      continue;
    }
    const { id } = record.generation;
    const content = await parts.store.generations.getContent(id);
    if (content !== undefined && isInContent(wanted, content)) records.push(record);
    budget.contents -= 1;
    if (budget.contents > 0 && parts.platform.monotonicNow() < budget.until) continue;
    return { records, next: id, isExhausted: true };
  }
  return { records, next: page.next, isExhausted: false };
}

/** Returns the existing ones of these ids, newest first. */
export async function getGenerations(
  ids: readonly string[],
  { store }: Pick<GenerationListParts, 'store'>,
): Promise<FoundGenerations> {
  const records: GenerationRecord[] = [];
  for (const id of new Set(ids)) {
    const record = await store.generations.get(id);
    if (record !== undefined) records.push(record);
  }
  records.sort((a, b) => b.generation.created_at.localeCompare(a.generation.created_at));
  return { records, next: null, searched: 0, searchedBackTo: null };
}

/** A generation as lists, exports and the feed show it. */
export function toGenerationRow({ generation, principalId, userId }: GenerationRecord): GenerationRow {
  return {
    ...generation,
    status: statusOfGeneration(generation),
    key_hash: principalId,
    user_id: userId ?? null,
    attempts: generation.provider_responses?.length ?? 0,
  };
}

/** Like the function above, with only the fields that the caller selected. */
export async function toAskedRow(
  record: GenerationRecord,
  fields: RowFields,
  { store }: Pick<GenerationListParts, 'store'>,
): Promise<Readonly<Record<string, unknown>>> {
  const row = toGenerationRow(record);
  if (fields === undefined) return row;
  if (fields.includes('prompt_preview')) {
    row.prompt_preview = (await store.generations.getPreview(record.generation.id)) ?? null;
  }
  return Object.fromEntries(fields.map((name) => [name, row[name]]));
}

/** Converts a query to the filter of a store. It may name providers by slug or by name. Throws as `parseWhere` does. */
export function toGenerationFilter(
  query: GenerationFilterQuery,
  { providers }: { readonly providers: readonly { readonly slug: string; readonly name: string }[] },
): GenerationFilter {
  const nameOf = (provider: string): string => providers.find(({ slug }) => slug === provider)?.name ?? provider;
  const toSet = <Value>(list: readonly Value[] | undefined): ReadonlySet<Value> | undefined => list && new Set(list);
  const toGiven = (value: string): string => (value === NO_VALUE ? '' : value);
  const toNano = (usd: number | undefined): number | undefined => usd && Math.round(usd * NANO_PER_USD);
  return {
    createdFromMs: query.from,
    createdBeforeMs: query.to,
    models: toSet(query.model),
    providerNames: toSet(query.provider?.map((provider) => toGiven(nameOf(provider)))),
    principalIds: toSet(query.key),
    userIds: toSet(query.member?.map(toGiven)),
    apps: toSet(query.app?.map(toGiven)),
    sessionId: query.session && toGiven(query.session),
    statuses: toSet(query.status),
    minCostNanoUsd: toNano(query.min_cost),
    maxCostNanoUsd: query.max_cost === 0 ? 0 : toNano(query.max_cost),
    conditions: query.where === undefined ? undefined : parseWhere(query.where),
  };
}

/** Encodes the end of a page for callers, as an opaque value. */
export function toCursor(id: string | null): string | null {
  return id === null ? null : encodeCursor(id);
}

/** The id in a cursor. Throws `invalid_request` for what is none. */
export function parseCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const refusal = (cause?: unknown): Error => refuseField('cursor', 'must be next_cursor of another page', cause);
  let id: string;
  try {
    id = decodeCursor(cursor);
  } catch (cause) {
    throw refusal(cause);
  }
  // The cursor of a sorted list.
  if (id.startsWith('[')) throw refusal();
  return id;
}

/** Encodes a text for callers as an opaque value that fits into an address. */
const encodeCursor = (text: string): string =>
  btoa(encodeURIComponent(text)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

/** The text in such a value. Throws for what is none. */
const decodeCursor = (cursor: string): string =>
  decodeURIComponent(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')));

type Order = Pick<SortedQuery, 'sort' | 'order'>;

const sortedPlaceSchema = z.tuple([
  z.enum(GENERATION_SORTS),
  z.enum(SORT_ORDERS),
  z.union([z.number(), z.string(), z.null()]),
  z.number(),
  z.string(),
]);

/** Encodes the end of a page of a sorted list for callers, as an opaque value. */
export function toSortedCursor(place: SortedPlace | null, { sort, order }: Order): string | null {
  return place === null ? null : encodeCursor(JSON.stringify([sort, order, place.value, place.createdAtMs, place.id]));
}

/** The place in a cursor. Throws `invalid_request` for what is none, or belongs to another order. */
export function parseSortedCursor(cursor: string | undefined, asked: Order): SortedPlace | undefined {
  if (cursor === undefined) return undefined;
  const [sort, order, value, createdAtMs, id] = readPlace(cursor) ?? [];
  if (sort !== asked.sort || order !== asked.order || value === undefined || createdAtMs === undefined || !id) {
    throw refuseField('cursor', 'must be next_cursor of another page of the same sort and order');
  }
  return { value, createdAtMs, id };
}

function readPlace(cursor: string): z.infer<typeof sortedPlaceSchema> | undefined {
  try {
    return checkWith(sortedPlaceSchema, JSON.parse(decodeCursor(cursor))).data;
  } catch {
    return undefined;
  }
}

type ReadableStore = Pick<Store, 'generations' | 'keys'>;

/**
 * Finds a generation for the key that made the call, for another key of the same owner, or for management. For every
 * other caller it does not exist: throws `not_found` (docs/decisions/0008), with the word by which the caller knows it.
 */
export async function findReadableGeneration(
  id: string,
  { principal, parts }: Pick<RequestContext<{ readonly store: ReadableStore }>, 'principal' | 'parts'>,
  word: 'generation' | 'response' = 'generation',
): Promise<GenerationRecord> {
  const { generations } = parts.store;
  const record = (await generations.get(id)) ?? (await generations.getLate?.(id));
  const isReadable = record !== undefined && (await mayRead(principal, record, parts.store));
  if (!isReadable) throw new GatewayError('not_found', `There is no ${word} ${id.slice(0, 100)}`);
  return record;
}

async function mayRead(
  principal: Principal,
  { principalId }: GenerationRecord,
  store: ReadableStore,
): Promise<boolean> {
  if (principal.kind === 'management' || principalId === principal.id) return true;
  // A token is its subject alone. Without a member or a user it would be the same owner as every key that has none.
  const { id, userId, externalUser } = principal;
  if (id.startsWith('jwt:') && userId === undefined && externalUser === undefined) return false;
  const key = await store.keys.get(principalId);
  return (
    key !== undefined &&
    key.workspaceId === (principal.workspaceId ?? DEFAULT_WORKSPACE_ID) &&
    (key.creatorUserId ?? null) === (principal.userId ?? null) &&
    (key.externalUser ?? null) === (principal.externalUser ?? null)
  );
}

const sessionPlaceSchema = z.tuple([z.literal('session'), z.number(), z.string()]);

/** Encodes the end of a page of sessions for callers, as an opaque value. */
export const toSessionCursor = (place: SessionPlace | null): string | null =>
  place === null ? null : encodeCursor(JSON.stringify(['session', place.lastAtMs, place.sessionId]));

/** The place in a cursor. Throws `invalid_request` for what is none. */
export function parseSessionCursor(cursor: string | undefined): SessionPlace | undefined {
  if (cursor === undefined) return undefined;
  try {
    const [, lastAtMs, sessionId] = sessionPlaceSchema.parse(JSON.parse(decodeCursor(cursor)));
    return { lastAtMs, sessionId };
  } catch (cause) {
    throw refuseField('cursor', 'must be next_cursor of another page of sessions', cause);
  }
}
