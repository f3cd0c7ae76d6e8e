import { z } from 'zod';

import { refuseForeignDirectory } from '../auth/keys.ts';
import { readJsonBody } from '../http/json-body.ts';
import { operation } from '../http/operation.ts';
import type { GatewayRequest } from '../http/request.ts';
import type { GatewayResponse } from '../http/response.ts';
import { fits } from '../scim/filter.ts';
import { parsePatch } from '../scim/patch.ts';
import { GROUPS, type ScimParts, type ScimResource, USERS } from '../scim/resources.ts';
import {
  baseOf,
  NOTHING,
  readListQuery,
  refuseOtherVersion,
  refuseUnknown,
  send,
  sendAll,
  sendOne,
  sendResource,
  toList,
} from '../scim/responses.ts';
import { toProviderConfig, toResourceTypes, toSchemas } from '../scim/schemas.ts';
import { SCIM_TYPE } from '../scim/scim-error.ts';
import type { Member } from '../wire/members.ts';
import type { GroupRecord } from '../wire/scim-groups.ts';

interface ScimInput {
  readonly parts: ScimParts;
  readonly request: GatewayRequest;
  readonly responseHeaders: Record<string, string>;
}

const anything = z.record(z.string(), z.unknown());
const response = { mediaTypes: { [SCIM_TYPE]: anything } };
const body = { readByRun: anything, mediaType: SCIM_TYPE };
const RESOURCE = { response, responseHeaders: { etag: 'The version of the resource', location: 'Its address' } };
const IF_MATCH = {
  headers: { 'if-match': 'The version that is to be changed' },
  otherStatuses: { 412: 'The resource has changed since the version of `If-Match`' },
};
const READ_ERRORS = ['not_found', 'permission_denied'] as const;
const CHANGE_ERRORS = ['conflict', ...READ_ERRORS] as const;
const text = z.string().optional();
/** Read by `readListQuery`, which refuses in words of SCIM. */
const listQuery = z.object({
  filter: text,
  startIndex: text,
  count: text,
  attributes: text,
  excludedAttributes: text,
});
const STATIC = { response, errors: ['not_found'] } as const;

/** The six operations on a kind of resource, as RFC 7644 has them. */
function operationsOn<Row extends Member | GroupRecord, Facts>(resource: ScimResource<Row, Facts>) {
  const find = async (id: string, parts: ScimParts): Promise<Row> => {
    refuseForeignDirectory(parts);
    return (await resource.rowsOf(parts).get(id)) ?? refuseUnknown(resource.name, id);
  };
  const sendRow = async (row: Row, input: ScimInput, status = 200): Promise<GatewayResponse> => {
    const toBody = await resource.createToBody(input.parts);
    return sendResource(toBody(row), resource.toMeta(row, input.request), { ...input, status });
  };
  const change = async (row: Row, input: ScimInput, toFacts: (facts: Facts) => Facts): Promise<GatewayResponse> => {
    const changed = await resource.change(row, toFacts, input);
    return changed === undefined ? refuseUnknown(resource.name, row.id) : sendRow(changed, input);
  };
  const ONE = {
    params: ['id'] as const,
    find: ({ parts, params }: { readonly parts: ScimParts; readonly params: { readonly id: string } }) =>
      find(params.id, parts),
  };
  const CHANGE = { ...ONE, ...RESOURCE, ...IF_MATCH, body, errors: CHANGE_ERRORS };
  return {
    create: operation<ScimParts>()({
      ...RESOURCE,
      body,
      status: 201,
      find: ({ parts }) => refuseForeignDirectory(parts),
      errors: CHANGE_ERRORS,
      async run(input) {
        const facts = resource.parse(await readJsonBody(input.request));
        return sendRow(await resource.add(facts, input.parts), input, 201);
      },
    }),
    list: operation<ScimParts>()({
      query: listQuery,
      response,
      find: ({ parts }) => refuseForeignDirectory(parts),
      errors: READ_ERRORS,
      async run({ parts, request }) {
        const asked = readListQuery(request);
        const { filter } = asked;
        const all = await resource.rowsOf(parts).list();
        const found = filter === undefined ? all : all.filter((row) => fits(filter, resource.read(row)));
        const toBody = await resource.createToBody(parts);
        return toList(found, asked, (row) => ({ ...toBody(row), meta: resource.toMeta(row, request) }));
      },
    }),
    get: operation<ScimParts>()({
      ...ONE,
      ...RESOURCE,
      errors: READ_ERRORS,
      run: (input) => sendRow(input.found, input),
    }),
    replace: operation<ScimParts>()({
      ...CHANGE,
      async run(input) {
        const sent = await readJsonBody(input.request);
        return change(input.found, input, (facts) => resource.parse(sent, facts));
      },
    }),
    patch: operation<ScimParts>()({
      ...CHANGE,
      async run(input) {
        const changes = parsePatch(await readJsonBody(input.request));
        return change(input.found, input, (facts) => changes.reduce(resource.patch, facts));
      },
    }),
    delete: operation<ScimParts>()({
      ...ONE,
      ...IF_MATCH,
      response,
      status: 204,
      errors: CHANGE_ERRORS,
      async run({ found, parts, request }) {
        refuseOtherVersion(request, found);
        await resource.remove(found, parts);
        return NOTHING;
      },
    }),
  };
}

const users = operationsOn(USERS);
/** `POST /scim/v2/Users` */
export const createScimUser = users.create;
/** `GET /scim/v2/Users` */
export const listScimUsers = users.list;
/** `GET /scim/v2/Users/{id}` */
export const getScimUser = users.get;
/** `PUT /scim/v2/Users/{id}`: all of it, but for `active` where that is left out. */
export const replaceScimUser = users.replace;
/** `PATCH /scim/v2/Users/{id}` */
export const patchScimUser = users.patch;
/** `DELETE /scim/v2/Users/{id}` */
export const deleteScimUser = users.delete;

const groups = operationsOn(GROUPS);
/** `POST /scim/v2/Groups` */
export const createScimGroup = groups.create;
/** `GET /scim/v2/Groups` */
export const listScimV2Groups = groups.list;
/** `GET /scim/v2/Groups/{id}` */
export const getScimGroup = groups.get;
/** `PUT /scim/v2/Groups/{id}` */
export const replaceScimGroup = groups.replace;
/** `PATCH /scim/v2/Groups/{id}` */
export const patchScimGroup = groups.patch;
/** `DELETE /scim/v2/Groups/{id}`: what its mappings gave goes with it. */
export const deleteScimGroup = groups.delete;

/** `GET /scim/v2/ServiceProviderConfig` */
export const getScimProviderConfig = operation<ScimParts>()({
  ...STATIC,
  run: ({ request }) => send(200, toProviderConfig(baseOf(request))),
});

/** `GET /scim/v2/ResourceTypes` */
export const listScimResourceTypes = operation<ScimParts>()({
  ...STATIC,
  run: ({ request }) => sendAll(toResourceTypes(baseOf(request))),
});

/** `GET /scim/v2/ResourceTypes/{name}` */
export const getScimResourceType = operation<ScimParts>()({
  params: ['name'],
  ...STATIC,
  run: ({ request, params }) => sendOne(toResourceTypes(baseOf(request)), params.name),
});

/** `GET /scim/v2/Schemas` */
export const listScimSchemas = operation<ScimParts>()({
  ...STATIC,
  run: ({ request }) => sendAll(toSchemas(baseOf(request))),
});

/** `GET /scim/v2/Schemas/{name}` */
export const getScimSchema = operation<ScimParts>()({
  params: ['name'],
  ...STATIC,
  run: ({ request, params }) => sendOne(toSchemas(baseOf(request)), params.name),
});
