export { createKeyRecord, type NewKey } from './auth/api-key.ts';
export type { Principal } from './auth/principal.ts';
export type { BroadcastDelivery, BroadcastRow } from './broadcast/broadcast-row.ts';
export type {
  BroadcastOptions,
  BroadcastTrace,
  DestinationConfig,
  DestinationFormat,
  DestinationRequest,
  StoredTrace,
} from './broadcast/destination-format.ts';
export {
  type ConfiguredModel,
  configuredModelSchema,
  endpointDefinitionSchema,
  type EndpointDefinition,
  type EndpointPricing,
  modelDefinitionSchema,
  type ModelDefinition,
} from './catalog/model-definition.ts';
export {
  findIncompleteParts,
  type IncompletePart,
  overrideModels,
  pickServedModels,
  type ServingProvider,
} from './catalog/override-models.ts';
export type { ModerationVerdict, Moderator } from './chat/moderate-request.ts';
export { createSearchEngine, type SearchEngineName } from './chat/search/create-search-engine.ts';
export type { SearchEngine, SearchQuery, SearchResult } from './chat/search/search-engine.ts';
export {
  type OpenTool,
  type ServerTool,
  type ToolContext,
  ToolFailure,
  type ToolResult,
} from './chat/tools/server-tool.ts';
export type { ReadablePage, WebAccess } from './chat/web-access.ts';
export { type ErrorBody, type ErrorCode, GatewayError, toErrorBody } from './errors.ts';
export type { FixtureLibrary, StoredGeneration } from './fixture-library.ts';
export { createGateway, type Gateway, type GatewayStats, type Surface } from './gateway.ts';
export {
  type AccountOptions,
  type BootstrapKey,
  DEFAULT_TIMEOUTS,
  type GatewayOptions,
  type Logger,
  type MemberDirectory,
  type ProviderChecks,
  type ProviderFinding,
  type Timeouts,
} from './options.ts';
export { createWebPlatform, type Platform, type Scratch } from './platform.ts';
export {
  type CallTimeouts,
  type ChatCall,
  type DataPolicy,
  type DiscoveredModel,
  type Provider,
  UNKNOWN_DATA_POLICY,
} from './providers/provider.ts';
export type { GatewayRequest, HeaderMap } from './request.ts';
export type { GatewayResponse } from './response.ts';
export type { CreateRateCounter, RateCounter, RateWindow } from './rate-limits/rate-counter.ts';
export type { RateLimitOptions, RateLimitRule } from './rate-limits/rate-limits.ts';
export type { RegionOptions } from './routing/region-of.ts';
export type { RouterName, RouterQuery, RouterStrategy } from './routing/router.ts';
export type { ChatChunk, ChatChunkChoice, ChatCompletionResult, ChatDelta, Usage } from './schemas/chat-chunk.ts';
export type { ChatCompletionRequest } from './schemas/chat-completion.ts';
export type { Destination } from './schemas/destination.ts';
export type {
  FixtureCaseDetail,
  FixtureCaseRow,
  FixtureCasesQuery,
  FixtureMissDetail,
  FixtureMissRow,
  FixtureState,
  SavedFixture,
} from './schemas/fixture-library.ts';
export type { Generation, GenerationContent } from './schemas/generation.ts';
export type { Guardrail } from './schemas/guardrail.ts';
export type { Member } from './schemas/member.ts';
export type { StreamTimeline } from './schemas/stream-timeline.ts';
export { createSpendingBook, type SpendingBook, type SpendingEntry } from './stores/spending.ts';
export { createActivityBook, type ActivityQuery, type ActivitySum } from './stores/activity-book.ts';
export { createFacetCount, type GenerationFacets } from './stores/generation-facets.ts';
export {
  addToHistogram,
  createHistogram,
  type GenerationFacts,
  type GenerationFilter,
  type HistogramBucket,
  type HistogramQuery,
  matchesFilter,
  toGenerationFacts,
} from './stores/generation-filter.ts';
export type {
  AssignmentRecord,
  AssignmentRepository,
  Awaitable,
  GenerationPage,
  GenerationQuery,
  GenerationRecord,
  GenerationRepository,
  KeyRecord,
  Repository,
  SettingsRepository,
  Spent,
  SpentQuery,
  Store,
  StoredContent,
  WorkspaceRecord,
} from './stores/store.ts';
export { createRowRepository, type RowChange } from './stores/row-repository.ts';
export { createTableRepositories, type TableSource } from './stores/table-repositories.ts';
export { EMPTY_TABLES, type Tables, tablesSchema } from './stores/tables.ts';
export {
  type Transport,
  TransportError,
  type TransportPhase,
  type TransportRequest,
  type TransportResponse,
  type WholeResponse,
} from './transport.ts';
export { sendWhole } from './providers/send-whole.ts';
export { createTimerWheel, type Deadline, type Limit, type TimerWheel } from './timer-wheel.ts';
export { type FetchHandlerOptions, toFetchHandler } from './fetch-handler.ts';
export { createFetchTransport, type FetchTransportOptions } from './fetch-transport.ts';
export type { VideoProvider } from './providers/video-contract.ts';
export type { VideoAnswer } from './videos/to-video-answer.ts';
export { hasEnded, type VideoJob } from './videos/video-job.ts';
export type { IncomingVideo, KeptVideo, VideoKeeper } from './videos/video-keeper.ts';
export { verifyWebhook, type WebhookVerification } from './webhooks/verify-webhook.ts';
export type { WebhookOptions } from './webhooks/webhook-options.ts';
export { objectToWebhookSecret } from './webhooks/webhook-secret.ts';
