// Hosts: a gateway, the requests it handles and the responses it gives.
export { type ErrorBody, type ErrorCode, GatewayError, toErrorBody } from './foundation/errors.ts';
export type { AwsCredentials, AwsCredentialSource } from './providers/bedrock/bedrock-provider.ts';
export type {
  Engine,
  Exposition,
  InstanceFacts,
  Logger,
  MetricFamily,
  MetricSample,
  MetricsOptions,
  SecretBox,
  SharedChannel,
} from './foundation/host.ts';
export { suggestName } from './foundation/nearest-name.ts';
export { checkWith } from './foundation/parse.ts';
export type { HookedCall, HookedRequest, RequestHook } from './calls/request-hook.ts';
export { CALL_KINDS } from './wire/call-kinds.ts';
export { DEFAULT_TIMEOUTS, type Timeouts } from './calls/attempt.ts';
export type { AttemptListener, AttemptReport, GenerationListener } from './dispatch/recorder.ts';
export { createGateway, type Gateway, type GatewayStats } from './gateway.ts';
export {
  checkExposed,
  DEFAULT_BODY_LIMIT_BYTES,
  type FetchHandlerOptions,
  toFetchHandler,
} from './http/fetch-handler.ts';
export {
  type Authenticate,
  type GatewayRequest,
  type HeaderMap,
  mountPathOf,
  type Principal,
  requestIdOf,
} from './http/request.ts';
export { type GatewayResponse, NO_SNIFFING, SANDBOXED, toErrorResponse } from './http/response.ts';
export type { Surface } from './http/route.ts';
export type { GatewayOptions, Setup, SharedParts } from './options.ts';

// Embedders: what a gateway is configured with, and the shapes of its API.
export { toFixtureQuestion } from './api/fixture-question.ts';
export type { FixtureCasePage, FixtureLibrary, StoredGeneration } from './api/make-fixture.ts';
export type { StoredExchange } from './api/stored-response.ts';
export type { SampleData } from './api/sample-data.ts';
export type {
  ConfiguredProvider,
  DraftTest,
  LocalServer,
  ProviderChecks,
  ProviderFinding,
  SetupHost,
} from './setup/setup-host.ts';
export type { OpenedProvider, SealedRow, SealedTable } from './setup/provider-rows.ts';
export { DEFAULT_WRONG_KEYS_PER_ADDRESS } from './auth/wrong-keys.ts';
export { type AccountOptions, defaultGuardrailIdOf, defaultGuardrailName } from './account/account.ts';
export { toNewWorkspace } from './account/workspaces.ts';
export {
  applyIdentity,
  type GroupGrant,
  type Identity,
  type IdentityParts,
  type IdentityRules,
} from './auth/identity.ts';
export {
  DEFAULT_CLAIMS,
  type EndedIdentity,
  type IdentityClaims,
  type IdentityProvider,
  type IdentityTokens,
  type PendingSignIn,
  type ProvenIdentity,
} from './auth/identity-provider.ts';
export type { OidcSignIn, ProxySignIn, SignInOptions } from './auth/identity-sessions.ts';
export {
  TOKEN_ALGORITHMS,
  type TokenAlgorithm,
  type TokenClaims,
  type TokenIssuer,
  type TokenOptions,
} from './auth/token-issuers.ts';
export { createKeyRecord, DEFAULT_WORKSPACE_ID, type MemberDirectory, type NewKey } from './auth/keys.ts';
export type { BootstrapKey } from './auth/authenticate.ts';
export { createProviderNames, type PresetNames, type ProviderNames } from './catalog/catalog.ts';
export { type ModelProblem, findModelProblems } from './catalog/find-model-problems.ts';
export { boundModels, describeLeftOut } from './catalog/bound-models.ts';
export { isWildcard } from './catalog/discovered-models.ts';
export {
  findIncompleteParts,
  type IncompletePart,
  overrideModels,
  pickServedModels,
  type ServingProvider,
} from './catalog/override-models.ts';
export { createSearchEngine, type SearchEngineName } from './chat/web/search-engines.ts';
export type {
  CreateRateCounter,
  RateCounter,
  RateLimitOptions,
  RateLimitRule,
  RateWindow,
} from './limits/rate-limits.ts';
export type { CallLimitOptions, CallLimitRule, SharedCallCounts, ToldCallCount } from './limits/call-limits.ts';
export type { PlaceLease, TakeLease } from './limits/fair-places.ts';
export type { RegionOptions } from './calls/regions.ts';
export {
  findWebhookSecretProblem,
  verifyWebhook,
  type WebhookOptions,
  type WebhookVerification,
} from './webhooks/webhooks.ts';
export type { ConnectMailer, MailServer } from './alarms/live-mailer.ts';
export type { AlarmListener, AlarmMail, AlarmMailer } from './alarms/send-alarm.ts';
export type {
  ChatChunk,
  ChatChunkChoice,
  ChatCompletionResult,
  ChatDelta,
  FinishReason,
  ToolCallDelta,
  Usage,
} from './wire/chat-chunk.ts';
export type { ChatCompletionRequest } from './wire/chat-request.ts';
export type { ByokKey, ByokKeyRecord } from './wire/byok.ts';
export type { GroupRecord } from './wire/scim-groups.ts';
export type { Destination } from './wire/destinations.ts';
export type {
  FixtureCaseDetail,
  FixtureCaseRow,
  FixtureCasesQuery,
  FixtureMissDetail,
  FixtureMissRow,
  FixtureMode,
  FixtureState,
  SavedFixture,
  FixtureSuite,
} from './wire/fixtures.ts';
export type { CallTimeline, Generation, GenerationContent, StreamTimeline } from './wire/generation.ts';
export type { GenerationStatus } from './wire/statuses.ts';
export type { SentRequest, StoredRequest } from './wire/stored-request.ts';
export type { GenerationSplit } from './wire/generation-list.ts';
export type { GenerationSort } from './wire/generation-fields.ts';
export {
  DATA_REGIONS,
  type DataRegion,
  maskKeys,
  maskQuery,
  secretsOfQuery,
  toDataRegion,
  toKeyHint,
} from './wire/fields.ts';
export { toNewGuardrail } from './guardrails/change-guardrail.ts';
export type { Guardrail } from './wire/guardrails.ts';
export type { Member } from './wire/members.ts';
export type { ConfiguredRoutingRule } from './wire/routing-rules.ts';
export type { ConfiguredModel, EndpointDefinition, EndpointPricing, ModelDefinition } from './wire/model-definition.ts';
export type { CloudSettings, ProviderSettings } from './wire/provider-settings.ts';
export { type Wire, WIRES } from './wire/values.ts';
export type { VideoResponse } from './wire/videos.ts';

// Implementers of providers, transports, stores, tools, destinations and other replaceable parts.
export type {
  BroadcastOptions,
  BroadcastTrace,
  MetricsReport,
  DestinationConfig,
  DestinationFormat,
  DestinationRequest,
} from './broadcast/destination-format.ts';
export type { CachedCompletion, FoundCompletion, ResponseCache } from './chat/stages/response-cache.ts';
export type { ModerationVerdict, Moderator } from './chat/moderate-call.ts';
export {
  type OpenTool,
  type ServerTool,
  type ToolContext,
  ToolFailure,
  type ToolResult,
} from './chat/stages/server-tools/server-tool.ts';
export type { ReadablePage, SearchEngine, SearchQuery, SearchResult, WebAccess } from './chat/web/web-access.ts';
export type { Awaitable } from './foundation/awaitable.ts';
export {
  readPieces,
  sendWhole,
  type Transport,
  TransportError,
  type TransportPhase,
  type TransportRequest,
  type TransportResponse,
  watchPieces,
  type WholeResponse,
} from './foundation/transport.ts';
export { type FetchLimits, toFetch } from './foundation/to-fetch.ts';
export { createTurns, createTurnsOf, type InTurn } from './foundation/queues.ts';
export { createFetchTransport, type FetchTransportOptions } from './foundation/fetch-transport.ts';
export { createWebPlatform, type Platform, type Scratch, type WebPlatformOptions } from './foundation/platform.ts';
export { VERSION } from './foundation/version.ts';
export type { FilterDecision, FilteredText, FilterFunction } from './guardrails/filter-functions.ts';
export { createTimerWheel, type Deadline, type DeadlineOwner, type TimerWheel } from './foundation/timers.ts';
export { toContentJson } from './generations/long-output.ts';
export { type StoredTrace, UNKNOWN_GENERATION } from './generations/to-generation.ts';
export {
  type CallTimeouts,
  type ChatCall,
  type DataPolicy,
  type DiscoveredModel,
  type EmbeddingsCall,
  type EmbeddingsResult,
  type Provider,
  UNKNOWN_DATA_POLICY,
} from './providers/provider.ts';
export type { EmbeddingsItem } from './wire/embeddings.ts';
export type { ImageCall, ImageOrder, ImagePart, ImageResult, MadeImage } from './providers/image-contract.ts';
export type { RankedDocument, RerankCall, RerankResult } from './providers/rerank-contract.ts';
export type {
  AudioFacts,
  AudioFile,
  SpeechCall,
  SpeechResult,
  TranscriptionCall,
  TranscriptionResult,
} from './providers/audio-contract.ts';
export type { ModerationCall, ModerationOutcome } from './providers/moderation-contract.ts';
export type { VideoProgress, VideoProvider } from './providers/video-contract.ts';
export {
  addressOfPreset,
  type Cloud,
  type CloudPlace,
  describeMissingAddress,
  type Environment,
  keyOfPreset,
  placeOfCloud,
  type PresetVariables,
  readVariable,
} from './providers/preset-environment.ts';
export type { ApiKey } from './providers/kit/asked-key.ts';
export { toUpstreamError, type UpstreamErrorFacts } from './providers/kit/upstream-error.ts';
export type { RouterName, RouterQuery, RouterStrategy } from './routing/routers.ts';
export {
  fromPacked,
  fromStoredForm,
  isLongContent,
  isLongJson,
  type PutBlock,
  referencesIn,
  toPackedJson,
  withReferences,
} from './stores/kit/content-form.ts';
export type {
  AssignmentRecord,
  AssignmentRepository,
  BroadcastRepository,
  BudgetSlice,
  BudgetSlices,
  DeliveryAttempt,
  DeliveryLog,
  FollowedGenerations,
  GenerationPage,
  GenerationQuery,
  GenerationRecord,
  GenerationRepository,
  GuardrailHitsRepository,
  JournaledChange,
  JournaledRecord,
  JournaledSegment,
  KeyRecord,
  ModelRecord,
  ProviderRecord,
  RecordJournal,
  Repository,
  RetentionState,
  RunningCall,
  RunningFigures,
  ScannedGeneration,
  SettingsRepository,
  SharedEntries,
  SlicedBudget,
  SliceGrant,
  SliceRequest,
  SortedPage,
  SpendingSum,
  Spent,
  SpentQuery,
  Store,
  StoredContent,
  ProviderRecord as StoredProvider,
  StoreFigures,
  StoreReadiness,
  TableRepository,
  VideoJobRepository,
  WorkingJobsQuery,
  WorkspaceRecord,
} from './stores/store.ts';
export {
  type KeptDays,
  type RetentionChanges,
  type RetentionLosses,
  toAuditDays,
  toKeptDays,
} from './stores/kept-days.ts';
export type { BroadcastDelivery, BroadcastFeed, BroadcastRow, GuardrailHitsRow } from './stores/rows.ts';
export {
  type RerunCall,
  type RerunFigures,
  type RerunPart,
  type RerunRepository,
  type RerunRow,
  type StoredRerun,
  type StoredRerunItem,
  type StoredRerunUpload,
} from './stores/reruns.ts';
export {
  type BatchRepository,
  batchResultId,
  type BatchResultPage,
  type BatchRow,
  heldBySubmission,
  OPEN_BATCH_STATUSES,
  type StoredBatch,
  type StoredBatchResult,
  type StoredSubmission,
} from './stores/batches.ts';
export {
  type AuditFilter,
  type AuditPage,
  type AuditQuery,
  type AuditRepository,
  type StoredAuditRecord,
} from './stores/audit.ts';
export {
  type AuditHead,
  type AuditProblem,
  type AuditVerification,
  chainRecords,
  requireFollowing,
  EMPTY_CHAIN,
  matchesAudit,
  toAnchorEntry,
  toAuditPage,
  toCanonicalJson,
  verifyChain,
} from './stores/kit/audit-chain.ts';
export type { AuditListener } from './audit/audit-trail.ts';
export { AUDIT_CSV_HEAD, toAuditCsvLine } from './audit/export-audit.ts';
export { noteConfiguration, recordCommand } from './audit/record-outside.ts';
export { createMemoryAudit } from './stores/kit/memory-audit.ts';
export type { AuditEntry, AuditRecord } from './wire/audit.ts';
export { type FileRepository, type StoredFile } from './stores/files.ts';
export {
  createMemoryFileStorage,
  type FileStorage,
  type SavedFileContent,
  type StoredFileContent,
} from './files/file-storage.ts';
export type { FileOptions } from './files/file-library.ts';
export type { RerunJudge, RerunPairToJudge } from './reruns/judge-by-code.ts';
export type { PresetRepository, StoredPreset } from './stores/presets.ts';
export { type PromptRepository, type StoredPrompt, toPromptHead } from './stores/prompts.ts';
export type { Preset, PresetVersion } from './wire/presets.ts';
export type { PromptHead } from './wire/prompts.ts';
export { EMPTY_TABLES } from './stores/rows.ts';
export type { Tables } from './stores/table-schemas.ts';
export type {
  ActivityQuery,
  ActivitySum,
  AttemptFacts,
  GenerationCondition,
  GenerationFacets,
  GenerationFacts,
  GenerationFilter,
  GenerationHistogram,
  GenerationReach,
  HistogramBucket,
  HistogramFigures,
  HistogramPart,
  HistogramQuery,
  HistogramSplit,
  ScanQuery,
  SessionPage,
  SessionPlace,
  SessionQuery,
  SessionSum,
  SortedPlace,
  SortedQuery,
  SortValue,
} from './stores/generation-queries.ts';
export { createActivityBook, createFacetCount, createHistogram, type HistogramCount } from './stores/kit/aggregates.ts';
export {
  createDeliveryBook,
  createRowRepository,
  createTableRepositories,
  type RowChange,
  type TableSource,
} from './stores/kit/repositories.ts';
export {
  type AttemptSource,
  type FactSource,
  isInReach,
  matchesFilter,
  toAttemptFacts,
  toGenerationFacts,
} from './stores/kit/filters.ts';
export {
  createFirstGenerations,
  createSessionBook,
  type FirstGenerations,
  type SessionBook,
} from './stores/kit/sessions.ts';
export { toInterruptedRecord, toPreview } from './stores/kit/records.ts';
export {
  type CarriedSpending,
  createCarriedSpending,
  createSpendingBook,
  feeNanoUsdOf,
  type SpendingBook,
  type SpendingEntry,
  toSpending,
} from './stores/kit/spending.ts';
export { hasEnded, hasWork, type VideoJob } from './stores/video-jobs.ts';
export type { IncomingVideo, ArchivedVideo, VideoArchive } from './videos/video-archive.ts';
