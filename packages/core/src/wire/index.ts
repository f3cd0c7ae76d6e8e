/*
 * The types-only entry of the wire, `@model-gateway/core/wire`: shapes of requests and responses for clients that call
 * the gateway over HTTP, above all the UI. It exports no value, so that importing it loads neither zod nor a schema.
 */
export type { ChatCompletionChunk, ChatCompletionResult, Usage } from './chat/chat-chunk.ts';
export type { ChatCompletionRequest } from './chat/chat-completion.ts';
export type { ContentPart } from './chat/chat-message.ts';
export type {
  BroadcastDeliveryBody,
  BroadcastDeliveryList,
  DestinationTest,
} from './destinations/broadcast-delivery.ts';
export type { Destination, DestinationType } from './destinations/destination.ts';
export type {
  FixtureCaseDetail,
  FixtureCaseRow,
  FixtureMissDetail,
  FixtureMissRow,
  FixtureMode,
  FixtureState,
  SavedFixture,
} from './fixtures/fixture-library.ts';
export type { ActivityItem } from './generations/activity.ts';
export type { CallCourse, CallCourseReport, CourseStep, DestinationArrival } from './generations/call-course.ts';
export type { GenerationHistogram, GenerationList, GenerationRow } from './generations/generation-list.ts';
export type { RunningCallRow } from './generations/running-call.ts';
export type { FieldKind, GenerationField, GENERATION_FIELDS } from './generations/generation-field.ts';
export type { SessionList, SessionRow } from './generations/session-list.ts';
export type { GenerationSort } from './generations/generation-sort.ts';
export type { GenerationStatus } from './generations/generation-status.ts';
export type { Generation, GenerationContent, MediaInput } from './generations/generation.ts';
export type { RoutingCandidate, RoutingDecision } from './generations/routing-decision.ts';
export type { StreamTimeline } from './generations/stream-timeline.ts';
export type { ProviderList } from './management/account.ts';
export type { KeyAssignment, MemberAssignment } from './management/assignment.ts';
export type { Member } from './management/member.ts';
export type { GuardrailDryRunLine } from './management/guardrail-dry-run.ts';
export type { GuardrailHitCounts, GuardrailHitList } from './management/guardrail-hits.ts';
export type { GuardrailEffect } from './management/guardrail-effect.ts';
export type { GuardrailTestResult } from './management/guardrail-test.ts';
export type { BuiltinFilter, CustomFilter, Guardrail } from './management/guardrail.ts';
export type { AnyKey, KeyBody, KeyDetail } from './management/key.ts';
export type { RefusalBody } from './management/refusal.ts';
export type { SessionResponse } from './management/session.ts';
export type { RateLimitList } from './management/rate-limit.ts';
export type { Health, Instance, Trouble } from './management/system.ts';
export type { Door, RoutingConditions, RoutingRule } from './management/routing-rule.ts';
export type { Settings, ShownSettings as AccountSettings } from './management/settings.ts';
export type { Workspace } from './management/workspace.ts';
export type { ConfiguredModel, ModelDefinition } from './models/model-definition.ts';
export type { Model, ModelEndpoint, ModelEndpoints, ModelList } from './models/model.ts';
export type { ProviderSettings } from './models/provider-settings.ts';
export type {
  FailureKind,
  ProviderHistory,
  ProviderHistoryBucket,
  ProviderHistoryFigures,
  ProviderHistoryList,
  ProviderHistoryQuery,
  ProviderLastError,
} from './models/provider-history.ts';
export type { ProviderStateList, ProviderTestResult } from './models/provider-state.ts';
export type { EndpointExplanation, RoutingExplanation } from './models/routing-explanation.ts';
export type { ModelSetup } from './setup/model-setup.ts';
export type {
  CreateProviderRequest,
  LocalServerList,
  ProviderPresetList,
  ProviderSetup,
  ProviderSetupList,
  TestDraftRequest,
  TestDraftResult,
  UpdateProviderRequest,
} from './setup/provider-setup.ts';
export type { VideoCourse, VideoDetail } from './videos/video-course.ts';
export type { VideoRow } from './videos/video-list.ts';
export type { VideoModel } from './videos/video-model.ts';
export type { WebhookDelivery } from './videos/webhook-delivery.ts';
