import { type Awaitable, raceAbort } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { HeaderMap, Principal, RequestContext } from '../http/request.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import type { EmbeddingsRequest } from '../wire/embeddings.ts';
import type { ImageRequest } from '../wire/images.ts';
import type { ModerationRequest } from '../wire/moderations.ts';
import type { RerankRequest } from '../wire/rerank.ts';
import type { FormatName } from '../wire/routing-rules.ts';
import type { SpeechRequest } from '../wire/speech.ts';
import type { TranscriptionFields } from '../wire/transcription.ts';
import type { VideoRequest } from '../wire/videos.ts';
import type { CallKindName } from './call-kind.ts';

/** The request of every kind, as its operation has read and checked it. */
interface CallRequests {
  readonly chat: ChatCompletionRequest;
  readonly video: VideoRequest;
  readonly embeddings: EmbeddingsRequest;
  readonly rerank: RerankRequest;
  readonly speech: SpeechRequest;
  /** Without its audio. */
  readonly transcription: TranscriptionFields;
  readonly image: ImageRequest;
  readonly moderation: ModerationRequest;
}

interface ReadRequest<Kind extends CallKindName> {
  readonly kind: Kind;
  readonly request: CallRequests[Kind];
}

/** A request by its kind. */
export type HookedRequest = {
  [Kind in CallKindName]: Kind extends 'chat' ? ReadRequest<Kind> & { readonly format: FormatName } : ReadRequest<Kind>;
}[CallKindName];

/** A request, which is a copy, and where it comes from. */
export type HookedCall = HookedRequest & {
  readonly principal: Principal;
  /** In lower case. */
  readonly headers: HeaderMap;
  /** Fires when the client leaves; the call ends then, whatever the hook does. */
  readonly signal: AbortSignal;
};

/**
 * An embedder's own look at a request that has been read, before any guardrail, budget or rule sees it. Nothing, and the
 * request stays as it is, or another request of the same kind in its place. A `GatewayError` refuses the call with its
 * code and message; anything else that is thrown is a failure of the host (500), and is logged.
 */
export type RequestHook = (call: HookedCall) => Awaitable<HookedRequest['request'] | undefined | void>;

/** The part of the gateway that calls use the hook by. */
export interface HookParts {
  /** Undefined without one. */
  readonly onRequest: RequestHook | undefined;
}

/**
 * Hands a request to the hook. Resolves with the very same request, which may have an untranslated form beside it, or
 * with what the hook has made of it, checked again by `check`. Rejects with what the hook throws, with `internal` for a
 * request that does not pass the check, and with the signal's reason when the client leaves.
 */
export async function amendRequest<Hooked extends HookedRequest>(
  hooked: Hooked,
  check: (value: unknown) => Hooked['request'],
  {
    request: { headers, signal },
    principal,
    parts: { onRequest },
  }: Pick<RequestContext<HookParts>, 'request' | 'principal' | 'parts'>,
): Promise<Hooked['request']> {
  if (onRequest === undefined) return hooked.request;
  // A change within the copy has no effect by itself, so nothing gets past the check.
  const request: unknown = structuredClone(hooked.request);
  const call = { ...hooked, request, principal, headers, signal } as HookedCall;
  const amended = await raceAbort(Promise.resolve(onRequest(call)), signal);
  if (amended === undefined) return hooked.request;
  try {
    return check(amended);
  } catch (cause) {
    throw new GatewayError('internal', 'The onRequest hook returned an invalid request', { cause });
  }
}
