import { GatewayError } from '../foundation/errors.ts';
import { firstValue, type GatewayRequest } from '../http/request.ts';
import type { GatewayResponse } from '../http/response.ts';
import type { Member } from '../wire/members.ts';
import type { GroupRecord } from '../wire/scim-groups.ts';
import { type Filter, parseFilter } from './filter.ts';
import { MAX_RESULTS } from './schemas.ts';
import { refuseScim, refuseStale, SCIM_TYPE } from './scim-error.ts';

/** The address under which everything of SCIM is. */
export const baseOf = ({ baseUrl }: GatewayRequest): string => `${baseUrl}/scim/v2`;

/** Throws `not_found`. */
export function refuseUnknown(what: string, id: string): never {
  throw new GatewayError('not_found', `There is no ${what} with the id ${id.slice(0, 100)}`);
}

/** What is asked of a list. */
export interface ListQuery {
  readonly filter: Filter | undefined;
  /** From 1. */
  readonly startIndex: number;
  readonly count: number;
  readonly project: (resource: Record<string, unknown>) => Record<string, unknown>;
}

const DEFAULT_COUNT = 100;

/** Reads filter, page and attributes of a list. Throws `invalid_request` by SCIM's names. */
export function readListQuery(request: GatewayRequest): ListQuery {
  const query = new URLSearchParams(request.query);
  const read = (name: string, otherwise: number): number => {
    const text = query.get(name);
    if (text === null || text === '') return otherwise;
    if (!/^-?\d{1,9}$/.test(text)) throw refuseScim('invalidValue', `${name}: must be a whole number`);
    return Number(text);
  };
  const filter = query.get('filter');
  return {
    filter: filter === null || filter.trim() === '' ? undefined : parseFilter(filter),
    startIndex: Math.max(1, read('startIndex', 1)),
    count: Math.min(MAX_RESULTS, Math.max(0, read('count', DEFAULT_COUNT))),
    project: createProjection(query),
  };
}

const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** A page of a list. */
export function toList<Row>(
  rows: readonly Row[],
  { startIndex, count, project }: ListQuery,
  toBody: (row: Row) => Record<string, unknown>,
): GatewayResponse {
  const page = rows.slice(startIndex - 1, startIndex - 1 + count).map((row) => project(toBody(row)));
  return send(200, {
    schemas: [LIST_SCHEMA],
    totalResults: rows.length,
    startIndex,
    itemsPerPage: page.length,
    Resources: page,
  });
}

/** A list that is short and never narrowed. */
export function sendAll(resources: readonly Record<string, unknown>[]): GatewayResponse {
  const facts = { totalResults: resources.length, startIndex: 1, itemsPerPage: resources.length };
  return send(200, { schemas: [LIST_SCHEMA], ...facts, Resources: resources });
}

/** One of a short list by its id; throws `not_found`. */
export const sendOne = (resources: readonly Record<string, unknown>[], id: string): GatewayResponse =>
  send(200, resources.find((resource) => resource['id'] === id) ?? refuseUnknown('resource', id));

/** `attributes` and `excludedAttributes`, by their first names; what tells resources apart is always there. */
function createProjection(query: URLSearchParams): ListQuery['project'] {
  const read = (name: string): ReadonlySet<string> | undefined => {
    const text = query.get(name);
    if (text === null || text === '') return undefined;
    return new Set(
      text.split(',').map(
        (each) =>
          each
            .trim()
            .replace(/^urn:.*:/i, '')
            .toLowerCase()
            .split('.')[0] ?? '',
      ),
    );
  };
  const [wanted, unwanted] = [read('attributes'), read('excludedAttributes')];
  if (wanted === undefined && unwanted === undefined) return (resource) => resource;
  return (resource) =>
    Object.fromEntries(
      Object.entries(resource).filter(([name]) => {
        const plain = name.toLowerCase();
        if (plain === 'id' || plain === 'schemas') return true;
        return wanted === undefined ? unwanted?.has(plain) !== true : wanted.has(plain);
      }),
    );
}

/** `meta` of a resource. */
export interface Meta {
  readonly resourceType: 'User' | 'Group';
  readonly created?: string | undefined;
  readonly lastModified?: string | undefined;
  readonly location: string;
  readonly version: string;
}

/** `meta` of a user. */
export const toUserMeta = (member: Member, request: GatewayRequest): Meta => ({
  resourceType: 'User',
  created: member.scim?.created_at,
  lastModified: member.scim?.updated_at,
  location: `${baseOf(request)}/Users/${encodeURIComponent(member.id.replaceAll(/\p{Surrogate}/gu, '\ufffd'))}`,
  version: versionOf(member),
});

/** `meta` of a group. */
export const toGroupMeta = (group: GroupRecord, request: GatewayRequest): Meta => ({
  resourceType: 'Group',
  created: group.createdAt,
  lastModified: group.updatedAt,
  location: `${baseOf(request)}/Groups/${group.id}`,
  version: versionOf(group),
});

/** A weak tag: FNV-1a over the row, which needs no promise within a change of the store. */
function versionOf(row: Member | GroupRecord): string {
  let hash = 0x81_1c_9d_c5;
  const text = JSON.stringify(row);
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01_00_01_93);
  return `W/"${(hash >>> 0).toString(16)}-${text.length.toString(16)}"`;
}

/** Throws a 412 where `If-Match` names another version. */
export function refuseOtherVersion({ headers }: GatewayRequest, row: Member | GroupRecord): void {
  const wanted = firstValue(headers['if-match']);
  if (wanted === undefined || wanted === '*' || wanted.includes(versionOf(row))) return;
  throw refuseStale();
}

interface Sending {
  readonly request: GatewayRequest;
  readonly responseHeaders: Record<string, string>;
  readonly status: number;
}

/** Sends one resource with its version. */
export function sendResource(
  resource: Record<string, unknown>,
  meta: Meta,
  { request, responseHeaders, status }: Sending,
): GatewayResponse {
  const project = createProjection(new URLSearchParams(request.query));
  const headers = { ...responseHeaders, etag: meta.version, location: meta.location };
  return send(status, project({ ...resource, meta }), headers);
}

/** Sends anything as SCIM. */
export const send = (status: number, resource: object, headers: Record<string, string> = {}): GatewayResponse => ({
  status,
  headers: { ...headers, 'content-type': SCIM_TYPE },
  body: JSON.stringify(resource),
});

/** The response to a removal. */
export const NOTHING: GatewayResponse = { status: 204, headers: {}, body: null };
