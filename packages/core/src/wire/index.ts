/*
 * The types-only entry of the wire, `@model-gateway/core/wire`: shapes of requests and responses for clients that call
 * the gateway over HTTP, above all the UI. It exports no value, so that importing it loads neither zod nor a schema.
 */
export type { ChatCompletionChunk, ChatCompletionResult, Usage } from './chat-chunk.ts';
export type { ChatCompletionRequest, ContentPart } from './chat-request.ts';
export type {
  BroadcastDeliveryBody,
  BroadcastDeliveryList,
  Destination,
  DestinationTest,
  DestinationType,
} from './destinations.ts';
export type {
  ShownFixtureCase,
  FixtureCaseRow,
  FixtureMissDetail,
  FixtureMissRow,
  FixtureMode,
  FixtureState,
  ReadResponse,
  SavedFixture,
  FixtureSuite,
} from './fixtures.ts';
export type {
  AppliedChanges,
  CatalogChangeBody,
  CatalogComparisonBody as CatalogComparison,
  CatalogState,
} from './catalog-comparison.ts';
export type { BatchRow, BatchRowList } from './batches.ts';
export type { AuditList, AuditRecord, AuditTargetKind } from './audit.ts';
export type { ByokKey } from './byok.ts';
export type { BudgetRaise } from './limits.ts';
export type { MailSettings, MailTest } from './mail.ts';
export type { KnownGroup } from './scim-groups.ts';
export type { StoredFileList, StoredFileRow } from './files.ts';
export type { ImageRequest, ImageResponse } from './images.ts';
export type { SampleDataState } from './sample-data.ts';
export type {
  ActivityItem,
  GenerationHistogram,
  GenerationList,
  GenerationRow,
  SessionList,
  SessionRow,
} from './generation-list.ts';
export type { FieldKind, GENERATION_FIELDS, GenerationField, GenerationSort } from './generation-fields.ts';
export type {
  CallTimeline,
  CallTimelineReport,
  TimelineStep,
  DestinationArrival,
  Generation,
  GenerationContent,
  MediaInput,
  StoredCharge,
  StreamTimeline,
} from './generation.ts';
export type { GenerationStatus } from './statuses.ts';
export type { RunningCallRow } from './generation-feed.ts';
export type { RoutingCandidate, RoutingDecision } from './routing.ts';
export type { ProviderList } from './account.ts';
export type { Health, Instance, Trouble } from './instance.ts';
export type { RateLimitList, CallLimitList } from './limits.ts';
export type { ShownSettings as AccountSettings, Settings } from './settings.ts';
export type { Workspace, WorkspaceBudget, WorkspaceMember, WorkspaceRoleEntry } from './workspaces.ts';
export type { Retention } from './retention.ts';
export type {
  BuiltinFilter,
  CustomFilter,
  Guardrail,
  GuardrailHitCounts,
  GuardrailHitList,
  KeyAssignment,
  MemberAssignment,
} from './guardrails.ts';
export type { GuardrailEffect } from './values.ts';
export type { AnyKey, KeyBody, KeyDetail, RefusalBody, SessionResponse } from './keys.ts';
export type { Member } from './members.ts';
export type { SignInProblem, SignInWays } from './sign-in.ts';
export type { GuardrailDryRunLine, GuardrailTestResult } from './guardrail-trials.ts';
export type { FormatName, RoutingConditions, RoutingRule } from './routing-rules.ts';
export type { EndpointExplanation, RoutingExplanation } from './routing-explanation.ts';
export type { ConfiguredModel, ModelDefinition, ModelSetup } from './model-definition.ts';
export type { Model, ModelEndpoint, ModelEndpoints, ModelList } from './models.ts';
export type {
  CreateProviderRequest,
  LocalServerList,
  ProviderPresetList,
  ProviderSetup,
  ProviderSetupList,
  TestDraftRequest,
  TestDraftResult,
  UpdateProviderRequest,
} from './provider-setup.ts';
export type { ProviderSettings } from './provider-settings.ts';
export type {
  FailureKind,
  ModelProviders,
  ProviderHistory,
  ProviderHistoryBucket,
  ProviderHistoryFigures,
  ProviderHistoryList,
  ProviderHistoryQuery,
  ProviderLastError,
  ProviderStateList,
  ProviderTestResult,
} from './providers.ts';
export type { VideoTimeline, VideoDetail, VideoModel, VideoRow, WebhookDelivery } from './videos.ts';
export type { Alarm, Forecast } from './alarms.ts';
export type { Preset, PresetVersion, PresetWithVersion } from './presets.ts';
export type { Prompt, PromptHead, PromptMessage, PromptVersion } from './prompts.ts';
export type { ViewBody } from './views.ts';
export type { SessionTrial, StoppedSession } from './session-limits.ts';
export type { SentRequest, StoredRequest, StoredRequestReport } from './stored-request.ts';
export type {
  Rerun,
  RerunCompletion,
  RerunEstimate,
  RerunItem,
  RerunJudgeSpec,
  RerunOutcomes,
  RerunPair,
  RerunState,
  RerunTarget,
  RerunTargetReport,
  RerunVerdict,
} from './reruns.ts';
export type { CacheCausePart, CacheCauseRow, CacheMarksDryRun, CacheReport, CacheSums } from './cache-report.ts';
