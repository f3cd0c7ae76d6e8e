export { createKeyRecord, type NewKey } from './auth/api-key.ts';
export type { Principal } from './auth/principal.ts';
export {
  endpointDefinitionSchema,
  type EndpointDefinition,
  type EndpointPricing,
  modelDefinitionSchema,
  type ModelDefinition,
} from './catalog/model-definition.ts';
export { type ErrorBody, type ErrorCode, GatewayError, toErrorBody } from './errors.ts';
export { createGateway, type Gateway, type GatewayStats, type Surface } from './gateway.ts';
export {
  type AccountOptions,
  type BootstrapKey,
  DEFAULT_TIMEOUTS,
  type GatewayOptions,
  type Logger,
  type Timeouts,
} from './options.ts';
export { createWebPlatform, type Platform } from './platform.ts';
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
export type { ChatChunk, ChatChunkChoice, ChatCompletionResult, ChatDelta, Usage } from './schemas/chat-chunk.ts';
export type { ChatCompletionRequest } from './schemas/chat-completion.ts';
export type { Generation, GenerationContent } from './schemas/generation.ts';
export type {
  Awaitable,
  GenerationPage,
  GenerationRecord,
  GenerationRepository,
  KeyRecord,
  KeyRepository,
  Store,
} from './stores/store.ts';
export {
  type Transport,
  TransportError,
  type TransportPhase,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';
export { createTimerWheel, type Deadline, type TimerWheel } from './timer-wheel.ts';
export { type FetchHandlerOptions, toFetchHandler } from './fetch-handler.ts';
export { createFetchTransport, type FetchTransportOptions } from './fetch-transport.ts';
