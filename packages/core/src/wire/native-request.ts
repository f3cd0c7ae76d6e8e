import type { ChatCompletionRequest } from './chat-request.ts';

/**
 * The forms of a chat call that an upstream may speak, too: `messages` is Anthropic's, `responses` is OpenAI's newer one,
 * and `gemini` is Google's.
 */
export type NativeForm = 'messages' | 'responses' | 'gemini';

/**
 * A request as it came in, for an upstream of the same form: what the chat request cannot say stays in it. It may be sent
 * only in place of the very chat request that it was read as.
 */
export interface NativeRequest {
  readonly form: NativeForm;
  readonly body: Readonly<Record<string, unknown>>;
  /** Headers of the form that go with the body, in lower case: `anthropic-beta`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Reads a body of this form as a chat request. Throws `invalid_request`. */
  readonly read: (body: unknown) => ChatCompletionRequest;
}

/** By identity: whatever changes a chat request makes another object, which has no native form (docs/decisions/0038). */
const nativeForms = new WeakMap<ChatCompletionRequest, NativeRequest>();

/** Returns the same request, from now on with its native form. */
export function withNative(request: ChatCompletionRequest, native: NativeRequest): ChatCompletionRequest {
  nativeForms.set(request, native);
  return request;
}

export const nativeOf = (request: ChatCompletionRequest): NativeRequest | undefined => nativeForms.get(request);

/** An event of a stream in upstream's own form, or, with the type `whole`, an unstreamed completion. */
export interface NativePiece {
  readonly type: string;
  /** JSON, as it came. */
  readonly data: string;
}
