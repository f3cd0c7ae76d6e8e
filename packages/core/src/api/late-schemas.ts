import type { z } from 'zod';

import {
  creditsSchema,
  feedbackResponseSchema,
  providerListSchema,
  zdrEndpointListSchema,
} from '../wire/management/account.ts';
import { activityListSchema, activityQuerySchema } from '../wire/generations/activity.ts';
import {
  assignedSchema,
  keyAssignmentListSchema,
  keyHashesSchema,
  memberAssignmentListSchema,
  memberUserIdsSchema,
  unassignedSchema,
} from '../wire/management/assignment.ts';
import {
  broadcastDeliveriesQuerySchema,
  broadcastDeliveryResponseSchema,
  broadcastDeliveryListSchema,
  destinationTestSchema,
} from '../wire/destinations/broadcast-delivery.ts';
import {
  createDestinationRequestSchema,
  destinationResponseSchema,
  destinationListSchema,
  updateDestinationRequestSchema,
} from '../wire/destinations/destination.ts';
import {
  fixtureCaseResponseSchema,
  fixtureCaseListSchema,
  fixtureCaseQuerySchema,
  fixtureCasesQuerySchema,
  fixtureMissResponseSchema,
  fixtureMissListSchema,
  fixtureStateResponseSchema,
  savedFixtureResponseSchema,
  saveFixtureRequestSchema,
} from '../wire/fixtures/fixture-library.ts';
import {
  generationFeedQuerySchema,
  generationHistogramQuerySchema,
  generationHistogramSchema,
  generationExportQuerySchema,
  generationListQuerySchema,
  generationListSchema,
} from '../wire/generations/generation-list.ts';
import { feedbackRequestSchema } from '../wire/generations/generation.ts';
import { guardrailTestRequestSchema, guardrailTestResultSchema } from '../wire/management/guardrail-test.ts';
import {
  createGuardrailRequestSchema,
  guardrailResponseSchema,
  guardrailListSchema,
  updateGuardrailRequestSchema,
} from '../wire/management/guardrail.ts';
import {
  createKeyRequestSchema,
  createdKeySchema,
  currentKeyResponseSchema,
  keyResponseSchema,
  keyListQuerySchema,
  keyListSchema,
  updateKeyRequestSchema,
} from '../wire/management/key.ts';
import {
  createMemberRequestSchema,
  memberResponseSchema,
  memberListSchema,
  updateMemberRequestSchema,
} from '../wire/management/member.ts';
import { deletedSchema, pageQuerySchema, workspacePageQuerySchema } from '../wire/page-query.ts';
import {
  providerStateListSchema,
  providerTestRequestSchema,
  providerTestResultSchema,
} from '../wire/models/provider-state.ts';
import { createSessionRequestSchema, sessionResponseSchema } from '../wire/management/session.ts';
import { settingsResponseSchema, settingsChangeSchema } from '../wire/management/settings.ts';
import { streamTimelineResponseSchema } from '../wire/generations/stream-timeline.ts';
import { videoListQuerySchema, videoListSchema } from '../wire/videos/video-list.ts';
import {
  budgetResponseSchema,
  budgetListSchema,
  createWorkspaceRequestSchema,
  putBudgetRequestSchema,
  updateWorkspaceRequestSchema,
  workspaceResponseSchema,
  workspaceListSchema,
} from '../wire/management/workspace.ts';

/** What an operation takes and answers. */
export interface RouteSchemas {
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodType | undefined;
  readonly answer?: z.ZodType | undefined;
}

/**
 * The schemas of operations that are loaded when they are first called, by method and path. Apart from the table of
 * routes, because making schemas takes time, and at start nobody needs them.
 */
export const LATE_SCHEMAS: Readonly<Record<string, RouteSchemas>> = {
  'GET /api/v1/key': { answer: currentKeyResponseSchema },
  'GET /api/v1/keys': { query: keyListQuerySchema, answer: keyListSchema },
  'POST /api/v1/keys': { body: createKeyRequestSchema, answer: createdKeySchema },
  'GET /api/v1/keys/{hash}': { answer: keyResponseSchema },
  'PATCH /api/v1/keys/{hash}': { body: updateKeyRequestSchema, answer: keyResponseSchema },
  'DELETE /api/v1/keys/{hash}': { answer: deletedSchema },
  'GET /api/v1/guardrails': { query: workspacePageQuerySchema, answer: guardrailListSchema },
  'POST /api/v1/guardrails': { body: createGuardrailRequestSchema, answer: guardrailResponseSchema },
  'GET /api/v1/guardrails/assignments/keys': { query: pageQuerySchema, answer: keyAssignmentListSchema },
  'GET /api/v1/guardrails/assignments/members': { query: pageQuerySchema, answer: memberAssignmentListSchema },
  'GET /api/v1/guardrails/{id}': { answer: guardrailResponseSchema },
  'PATCH /api/v1/guardrails/{id}': { body: updateGuardrailRequestSchema, answer: guardrailResponseSchema },
  'DELETE /api/v1/guardrails/{id}': { answer: deletedSchema },
  'GET /api/v1/guardrails/{id}/assignments/keys': { query: pageQuerySchema, answer: keyAssignmentListSchema },
  'POST /api/v1/guardrails/{id}/assignments/keys': { body: keyHashesSchema, answer: assignedSchema },
  'POST /api/v1/guardrails/{id}/assignments/keys/remove': { body: keyHashesSchema, answer: unassignedSchema },
  'GET /api/v1/guardrails/{id}/assignments/members': { query: pageQuerySchema, answer: memberAssignmentListSchema },
  'POST /api/v1/guardrails/{id}/assignments/members': { body: memberUserIdsSchema, answer: assignedSchema },
  'POST /api/v1/guardrails/{id}/assignments/members/remove': { body: memberUserIdsSchema, answer: unassignedSchema },
  'POST /admin/v1/guardrails/{id}/test': { body: guardrailTestRequestSchema, answer: guardrailTestResultSchema },
  'GET /api/v1/organization/members': { query: pageQuerySchema, answer: memberListSchema },
  'POST /admin/v1/members': { body: createMemberRequestSchema, answer: memberResponseSchema },
  'PATCH /admin/v1/members/{id}': { body: updateMemberRequestSchema, answer: memberResponseSchema },
  'DELETE /admin/v1/members/{id}': { answer: deletedSchema },
  'GET /admin/v1/settings': { answer: settingsResponseSchema },
  'PATCH /admin/v1/settings': { body: settingsChangeSchema, answer: settingsResponseSchema },
  'GET /admin/v1/generations': { query: generationListQuerySchema, answer: generationListSchema },
  'GET /admin/v1/generations/histogram': {
    query: generationHistogramQuerySchema,
    answer: generationHistogramSchema,
  },
  'GET /admin/v1/generations/export': { query: generationExportQuerySchema },
  'GET /admin/v1/generations/feed': { query: generationFeedQuerySchema },
  'GET /admin/v1/generations/{id}/timeline': { answer: streamTimelineResponseSchema },
  'DELETE /admin/v1/generations/{id}': { answer: deletedSchema },
  'GET /admin/v1/providers': { answer: providerStateListSchema },
  'POST /admin/v1/providers/{slug}/test': { body: providerTestRequestSchema, answer: providerTestResultSchema },
  'GET /admin/v1/videos': { query: videoListQuerySchema, answer: videoListSchema },
  'GET /admin/v1/fixtures': { answer: fixtureStateResponseSchema },
  'POST /admin/v1/fixtures': { body: saveFixtureRequestSchema, answer: savedFixtureResponseSchema },
  'GET /admin/v1/fixtures/cases': { query: fixtureCasesQuerySchema, answer: fixtureCaseListSchema },
  'GET /admin/v1/fixtures/case': { query: fixtureCaseQuerySchema, answer: fixtureCaseResponseSchema },
  'GET /admin/v1/fixtures/misses': { answer: fixtureMissListSchema },
  'GET /admin/v1/fixtures/misses/{id}': { answer: fixtureMissResponseSchema },
  'POST /admin/v1/fixtures/misses/{id}/accept': { answer: savedFixtureResponseSchema },
  'GET /admin/v1/session': { answer: sessionResponseSchema },
  'POST /admin/v1/session': { body: createSessionRequestSchema, answer: sessionResponseSchema },
  'DELETE /admin/v1/session': { answer: sessionResponseSchema },
  'GET /api/v1/credits': { answer: creditsSchema },
  'GET /api/v1/activity': { query: activityQuerySchema, answer: activityListSchema },
  'GET /api/v1/providers': { answer: providerListSchema },
  'GET /api/v1/endpoints/zdr': { answer: zdrEndpointListSchema },
  'POST /api/v1/generation/feedback': { body: feedbackRequestSchema, answer: feedbackResponseSchema },
  'GET /api/v1/workspaces': { query: pageQuerySchema, answer: workspaceListSchema },
  'POST /api/v1/workspaces': { body: createWorkspaceRequestSchema, answer: workspaceResponseSchema },
  'GET /api/v1/workspaces/{id}': { answer: workspaceResponseSchema },
  'PATCH /api/v1/workspaces/{id}': { body: updateWorkspaceRequestSchema, answer: workspaceResponseSchema },
  'DELETE /api/v1/workspaces/{id}': { answer: deletedSchema },
  'GET /api/v1/workspaces/{id}/budgets': { answer: budgetListSchema },
  'GET /api/v1/workspaces/{id}/budgets/{interval}': { answer: budgetResponseSchema },
  'PUT /api/v1/workspaces/{id}/budgets/{interval}': { body: putBudgetRequestSchema, answer: budgetResponseSchema },
  'DELETE /api/v1/workspaces/{id}/budgets/{interval}': { answer: deletedSchema },
  'GET /api/v1/observability/destinations': { query: workspacePageQuerySchema, answer: destinationListSchema },
  'POST /api/v1/observability/destinations': { body: createDestinationRequestSchema, answer: destinationResponseSchema },
  'GET /api/v1/observability/destinations/{id}': { answer: destinationResponseSchema },
  'PATCH /api/v1/observability/destinations/{id}': {
    body: updateDestinationRequestSchema,
    answer: destinationResponseSchema,
  },
  'DELETE /api/v1/observability/destinations/{id}': { answer: deletedSchema },
  'POST /admin/v1/observability/destinations/{id}/test': { answer: destinationTestSchema },
  'GET /admin/v1/destinations/deliveries': {
    query: broadcastDeliveriesQuerySchema,
    answer: broadcastDeliveryListSchema,
  },
  'POST /admin/v1/destinations/deliveries/{id}/resend': { answer: broadcastDeliveryResponseSchema },
};
