import type { z } from 'zod';

import {
  creditsSchema,
  feedbackAnswerSchema,
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
  broadcastDeliveryAnswerSchema,
  broadcastDeliveryListSchema,
  destinationTestSchema,
} from '../wire/destinations/broadcast-delivery.ts';
import {
  createDestinationRequestSchema,
  destinationAnswerSchema,
  destinationListSchema,
  updateDestinationRequestSchema,
} from '../wire/destinations/destination.ts';
import {
  fixtureCaseAnswerSchema,
  fixtureCaseListSchema,
  fixtureCaseQuerySchema,
  fixtureCasesQuerySchema,
  fixtureMissAnswerSchema,
  fixtureMissListSchema,
  fixtureStateAnswerSchema,
  savedFixtureAnswerSchema,
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
  guardrailAnswerSchema,
  guardrailListSchema,
  updateGuardrailRequestSchema,
} from '../wire/management/guardrail.ts';
import {
  createKeyRequestSchema,
  createdKeySchema,
  currentKeyAnswerSchema,
  keyAnswerSchema,
  keyListQuerySchema,
  keyListSchema,
  updateKeyRequestSchema,
} from '../wire/management/key.ts';
import {
  createMemberRequestSchema,
  memberAnswerSchema,
  memberListSchema,
  updateMemberRequestSchema,
} from '../wire/management/member.ts';
import { deletedSchema, pageQuerySchema, workspacePageQuerySchema } from '../wire/page-query.ts';
import {
  providerStateListSchema,
  providerTestRequestSchema,
  providerTestResultSchema,
} from '../wire/models/provider-state.ts';
import { createSessionRequestSchema, sessionAnswerSchema } from '../wire/management/session.ts';
import { settingsAnswerSchema, settingsChangeSchema } from '../wire/management/settings.ts';
import { streamTimelineAnswerSchema } from '../wire/generations/stream-timeline.ts';
import { videoListQuerySchema, videoListSchema } from '../wire/videos/video-list.ts';
import {
  budgetAnswerSchema,
  budgetListSchema,
  createWorkspaceRequestSchema,
  putBudgetRequestSchema,
  updateWorkspaceRequestSchema,
  workspaceAnswerSchema,
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
  'GET /api/v1/key': { answer: currentKeyAnswerSchema },
  'GET /api/v1/keys': { query: keyListQuerySchema, answer: keyListSchema },
  'POST /api/v1/keys': { body: createKeyRequestSchema, answer: createdKeySchema },
  'GET /api/v1/keys/{hash}': { answer: keyAnswerSchema },
  'PATCH /api/v1/keys/{hash}': { body: updateKeyRequestSchema, answer: keyAnswerSchema },
  'DELETE /api/v1/keys/{hash}': { answer: deletedSchema },
  'GET /api/v1/guardrails': { query: workspacePageQuerySchema, answer: guardrailListSchema },
  'POST /api/v1/guardrails': { body: createGuardrailRequestSchema, answer: guardrailAnswerSchema },
  'GET /api/v1/guardrails/assignments/keys': { query: pageQuerySchema, answer: keyAssignmentListSchema },
  'GET /api/v1/guardrails/assignments/members': { query: pageQuerySchema, answer: memberAssignmentListSchema },
  'GET /api/v1/guardrails/{id}': { answer: guardrailAnswerSchema },
  'PATCH /api/v1/guardrails/{id}': { body: updateGuardrailRequestSchema, answer: guardrailAnswerSchema },
  'DELETE /api/v1/guardrails/{id}': { answer: deletedSchema },
  'GET /api/v1/guardrails/{id}/assignments/keys': { query: pageQuerySchema, answer: keyAssignmentListSchema },
  'POST /api/v1/guardrails/{id}/assignments/keys': { body: keyHashesSchema, answer: assignedSchema },
  'POST /api/v1/guardrails/{id}/assignments/keys/remove': { body: keyHashesSchema, answer: unassignedSchema },
  'GET /api/v1/guardrails/{id}/assignments/members': { query: pageQuerySchema, answer: memberAssignmentListSchema },
  'POST /api/v1/guardrails/{id}/assignments/members': { body: memberUserIdsSchema, answer: assignedSchema },
  'POST /api/v1/guardrails/{id}/assignments/members/remove': { body: memberUserIdsSchema, answer: unassignedSchema },
  'POST /admin/v1/guardrails/{id}/test': { body: guardrailTestRequestSchema, answer: guardrailTestResultSchema },
  'GET /api/v1/organization/members': { query: pageQuerySchema, answer: memberListSchema },
  'POST /admin/v1/members': { body: createMemberRequestSchema, answer: memberAnswerSchema },
  'PATCH /admin/v1/members/{id}': { body: updateMemberRequestSchema, answer: memberAnswerSchema },
  'DELETE /admin/v1/members/{id}': { answer: deletedSchema },
  'GET /admin/v1/settings': { answer: settingsAnswerSchema },
  'PATCH /admin/v1/settings': { body: settingsChangeSchema, answer: settingsAnswerSchema },
  'GET /admin/v1/generations': { query: generationListQuerySchema, answer: generationListSchema },
  'GET /admin/v1/generations/histogram': {
    query: generationHistogramQuerySchema,
    answer: generationHistogramSchema,
  },
  'GET /admin/v1/generations/export': { query: generationExportQuerySchema },
  'GET /admin/v1/generations/feed': { query: generationFeedQuerySchema },
  'GET /admin/v1/generations/{id}/timeline': { answer: streamTimelineAnswerSchema },
  'DELETE /admin/v1/generations/{id}': { answer: deletedSchema },
  'GET /admin/v1/providers': { answer: providerStateListSchema },
  'POST /admin/v1/providers/{slug}/test': { body: providerTestRequestSchema, answer: providerTestResultSchema },
  'GET /admin/v1/videos': { query: videoListQuerySchema, answer: videoListSchema },
  'GET /admin/v1/fixtures': { answer: fixtureStateAnswerSchema },
  'POST /admin/v1/fixtures': { body: saveFixtureRequestSchema, answer: savedFixtureAnswerSchema },
  'GET /admin/v1/fixtures/cases': { query: fixtureCasesQuerySchema, answer: fixtureCaseListSchema },
  'GET /admin/v1/fixtures/case': { query: fixtureCaseQuerySchema, answer: fixtureCaseAnswerSchema },
  'GET /admin/v1/fixtures/misses': { answer: fixtureMissListSchema },
  'GET /admin/v1/fixtures/misses/{id}': { answer: fixtureMissAnswerSchema },
  'POST /admin/v1/fixtures/misses/{id}/accept': { answer: savedFixtureAnswerSchema },
  'GET /admin/v1/session': { answer: sessionAnswerSchema },
  'POST /admin/v1/session': { body: createSessionRequestSchema, answer: sessionAnswerSchema },
  'DELETE /admin/v1/session': { answer: sessionAnswerSchema },
  'GET /api/v1/credits': { answer: creditsSchema },
  'GET /api/v1/activity': { query: activityQuerySchema, answer: activityListSchema },
  'GET /api/v1/providers': { answer: providerListSchema },
  'GET /api/v1/endpoints/zdr': { answer: zdrEndpointListSchema },
  'POST /api/v1/generation/feedback': { body: feedbackRequestSchema, answer: feedbackAnswerSchema },
  'GET /api/v1/workspaces': { query: pageQuerySchema, answer: workspaceListSchema },
  'POST /api/v1/workspaces': { body: createWorkspaceRequestSchema, answer: workspaceAnswerSchema },
  'GET /api/v1/workspaces/{id}': { answer: workspaceAnswerSchema },
  'PATCH /api/v1/workspaces/{id}': { body: updateWorkspaceRequestSchema, answer: workspaceAnswerSchema },
  'DELETE /api/v1/workspaces/{id}': { answer: deletedSchema },
  'GET /api/v1/workspaces/{id}/budgets': { answer: budgetListSchema },
  'GET /api/v1/workspaces/{id}/budgets/{interval}': { answer: budgetAnswerSchema },
  'PUT /api/v1/workspaces/{id}/budgets/{interval}': { body: putBudgetRequestSchema, answer: budgetAnswerSchema },
  'DELETE /api/v1/workspaces/{id}/budgets/{interval}': { answer: deletedSchema },
  'GET /api/v1/observability/destinations': { query: workspacePageQuerySchema, answer: destinationListSchema },
  'POST /api/v1/observability/destinations': { body: createDestinationRequestSchema, answer: destinationAnswerSchema },
  'GET /api/v1/observability/destinations/{id}': { answer: destinationAnswerSchema },
  'PATCH /api/v1/observability/destinations/{id}': {
    body: updateDestinationRequestSchema,
    answer: destinationAnswerSchema,
  },
  'DELETE /api/v1/observability/destinations/{id}': { answer: deletedSchema },
  'POST /admin/v1/observability/destinations/{id}/test': { answer: destinationTestSchema },
  'GET /admin/v1/destinations/deliveries': {
    query: broadcastDeliveriesQuerySchema,
    answer: broadcastDeliveryListSchema,
  },
  'POST /admin/v1/destinations/deliveries/{id}/resend': { answer: broadcastDeliveryAnswerSchema },
};
