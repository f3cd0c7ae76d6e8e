// What a provider of another wire is made of, for packages outside of this one (docs/extending/provider.md).
export { isObject, isRecord, objectsOf, parseJson, parseReturned, readCount } from '../../foundation/parse.ts';
export { type FetchLimits, toFetch } from '../../foundation/to-fetch.ts';
export { readRetryAfterSeconds } from '../../foundation/transport.ts';
export {
  type ChatChunk,
  type ChatDelta,
  type FinishReason,
  finishReasonSchema,
  type ToolCallDelta,
  type Usage,
} from '../../wire/chat-chunk.ts';
export { isSupported } from '../../wire/chat-parameters.ts';
export type { ChatMessage, ContentPart, ReasoningDetail } from '../../wire/chat-request.ts';
export { itemsOf } from '../../wire/values.ts';
export { refuseField } from '../../wire/fields.ts';
export { askWhole, type WholeAsk } from './ask-whole.ts';
export type { ApiKey } from './asked-key.ts';
export { decodeBase64, toBase64Pieces } from './base64.ts';
export {
  type ChatWire,
  type CompletionReader,
  type CompletionReaderOptions,
  createChatWire,
  type SentRequest,
} from './create-chat-wire.ts';
export { toImageResult } from './made-images.ts';
export { segmentsOfWords } from './segments-of-words.ts';
export { createSseDecoder, type StreamDecoder } from './sse-decoder.ts';
export {
  describeProvider,
  effortOfBudget,
  parseDataUrl,
  type ProviderOptions,
  toModelSegment,
  toOpaqueUserId,
  toUpstream,
  type Upstream,
} from './to-upstream.ts';
export { createToolCallDeltas, type ToolCallDeltas, type UpstreamToolCall } from './tool-call-deltas.ts';
export {
  isErrorStatus,
  type ReadError,
  toRefusalError,
  toUpstreamError,
  type UpstreamErrorFacts,
} from './upstream-error.ts';
export { createVideoCalls, toVideoProvider, type VideoProviderSettings } from './video-calls.ts';
