import { noKey, noMember } from '../auth/keys.ts';
import {
  findGuardrail,
  listKeyAssignmentBodies,
  listMemberAssignmentBodies,
  toAssignments,
} from '../guardrails/policy.ts';
import { operation } from '../http/operation.ts';
import { pageQuerySchema, toPage } from '../wire/fields.ts';
import {
  assignedSchema,
  keyAssignmentListSchema,
  keyHashesSchema,
  memberAssignmentListSchema,
  memberUserIdsSchema,
  unassignedSchema,
} from '../wire/guardrails.ts';
import type { GuardrailParts } from './guardrails.ts';

/** `GET /guardrails/assignments/keys`: those of all guardrails. */
export const listKeyAssignments = operation<GuardrailParts>()({
  query: pageQuerySchema,
  response: keyAssignmentListSchema,
  async run({ parts, query }) {
    return toPage(await listKeyAssignmentBodies(parts.store, undefined), query);
  },
});

/** `GET /guardrails/assignments/members`: those of all guardrails. */
export const listMemberAssignments = operation<GuardrailParts>()({
  query: pageQuerySchema,
  response: memberAssignmentListSchema,
  async run({ parts, query }) {
    return toPage(await listMemberAssignmentBodies(parts.store, undefined), query);
  },
});

/** `GET /guardrails/{id}/assignments/keys` */
export const listGuardrailKeys = operation<GuardrailParts>()({
  params: ['id'],
  query: pageQuerySchema,
  response: keyAssignmentListSchema,
  find: ({ params, parts }) => findGuardrail(params.id, parts),
  async run({ parts, query, found }) {
    return toPage(await listKeyAssignmentBodies(parts.store, found.id), query);
  },
});

/**
 * `POST /guardrails/{id}/assignments/keys`: replaces the earlier assignments of the keys. All of them, or, with one
 * unknown, none.
 */
export const assignKeys = operation<GuardrailParts>()({
  params: ['id'],
  body: keyHashesSchema,
  response: assignedSchema,
  find: ({ params, parts }) => findGuardrail(params.id, parts),
  async run({ principal, parts, body: { key_hashes: hashes }, found: { id } }) {
    for (const hash of hashes) if ((await parts.store.keys.get(hash)) === undefined) throw noKey(hash);
    const assignments = toAssignments(id, hashes, { principal, platform: parts.platform });
    return { assigned_count: await parts.store.keyAssignments.assign(assignments) };
  },
});

/** `POST /guardrails/{id}/assignments/keys/remove`: keys that it did not hold for do not count. */
export const unassignKeys = operation<GuardrailParts>()({
  params: ['id'],
  body: keyHashesSchema,
  response: unassignedSchema,
  find: ({ params, parts }) => findGuardrail(params.id, parts),
  async run({ parts, body: { key_hashes: hashes }, found: { id } }) {
    return { unassigned_count: await parts.store.keyAssignments.unassign(id, hashes) };
  },
});

/** `GET /guardrails/{id}/assignments/members` */
export const listGuardrailMembers = operation<GuardrailParts>()({
  params: ['id'],
  query: pageQuerySchema,
  response: memberAssignmentListSchema,
  find: ({ params, parts }) => findGuardrail(params.id, parts),
  async run({ parts, query, found }) {
    return toPage(await listMemberAssignmentBodies(parts.store, found.id), query);
  },
});

/** `POST /guardrails/{id}/assignments/members`: replaces earlier assignments of the members. All of them, or none. */
export const assignMembers = operation<GuardrailParts>()({
  params: ['id'],
  body: memberUserIdsSchema,
  response: assignedSchema,
  find: ({ params, parts }) => findGuardrail(params.id, parts),
  async run({ principal, parts, body: { member_user_ids: userIds }, found: { id } }) {
    for (const userId of userIds) if ((await parts.members.get(userId)) === undefined) throw noMember(userId);
    const assignments = toAssignments(id, userIds, { principal, platform: parts.platform });
    return { assigned_count: await parts.store.memberAssignments.assign(assignments) };
  },
});

/** `POST /guardrails/{id}/assignments/members/remove`: only members that were assigned are counted. */
export const unassignMembers = operation<GuardrailParts>()({
  params: ['id'],
  body: memberUserIdsSchema,
  response: unassignedSchema,
  find: ({ params, parts }) => findGuardrail(params.id, parts),
  async run({ parts, body: { member_user_ids: userIds }, found: { id } }) {
    return { unassigned_count: await parts.store.memberAssignments.unassign(id, userIds) };
  },
});
