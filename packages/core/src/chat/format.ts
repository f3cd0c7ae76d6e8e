import type { Awaitable } from '../foundation/awaitable.ts';
import type { GatewayError } from '../foundation/errors.ts';
import type { Scratch } from '../foundation/platform.ts';
import type { HeaderMap } from '../http/request.ts';
import type { ChatChunk, FinishReason, Usage } from '../wire/chat-chunk.ts';
import type { ChatCompletionRequest, ToolCall } from '../wire/chat-request.ts';
import type { KeptResponse } from '../wire/kept-response.ts';
import type { FormatName } from '../wire/routing-rules.ts';
import type { RoutingMembers } from '../wire/routing.ts';

/** The format of one call. To read its request may take what is stored. */
export interface CallFormat {
  /** Its name in rules for routing. */
  readonly name: FormatName;
  /** Reads and checks a request. Throws `invalid_request` that names every field. */
  parse(body: unknown, headers: HeaderMap): Awaitable<ParsedChat>;
}

/** The format of one chat route of the API. The call itself is the same for all routes. */
export interface Format extends CallFormat {
  parse(body: unknown, headers: HeaderMap): ParsedChat;
}

/** A chat call, and the form in which its completion is to be given back. */
export interface ParsedChat {
  readonly request: ChatCompletionRequest;
  readonly encoder: CompletionEncoder;
  /** The body that is stored in place of the one that came in; absent where that is the same. */
  readonly received?: object;
}

/** Encodes the completion of a call as the frames or the body of its route. */
export interface CompletionEncoder {
  /** The media type of its streams. Absent: server-sent events. */
  readonly mediaType?: string;
  /** An empty frame: it shows proxies and clients that the connection is still open. */
  readonly keepAlive: string;
  /** Starts to write one stream. `openScratch`: where a form puts a long text aside that it repeats; default: memory. */
  createFrames(envelope: CompletionEnvelope, request: ChatCompletionRequest, openScratch?: () => Scratch): Frames;
  /** Encodes an unstreamed response body. Throws `failure` where the form has no place for it. */
  toWhole(completion: WholeCompletion, request: ChatCompletionRequest): object;
  /**
   * What is stored of a completion, so that it can be given back in this form. Called once the outcome is known, before
   * the end is encoded. Absent where nothing is stored for that.
   */
  keep?(ended: EndedCompletion): KeptResponse;
}

/** The fields that every part of one completion repeats. */
export interface CompletionEnvelope {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
  /** Display name. */
  readonly provider: string;
  readonly systemFingerprint?: string | undefined;
  readonly serviceTier?: string | undefined;
}

/** How long a call took, in milliseconds, as its record has it; null where that is not known. */
export interface CompletionTiming {
  /** From the request to the end. */
  readonly generation_time: number | null;
  /** Up to the first piece of the completion. */
  readonly latency: number | null;
}

/** The end of a completion. */
export interface CompletionEnd {
  readonly reason: FinishReason;
  readonly native: string | null;
  /** The usage as it is sent to the caller; undefined when it is unknown. */
  readonly usage: Usage | undefined;
  /** Sources that upstream lists beside the message. */
  readonly citations: readonly unknown[] | undefined;
  /** Undefined when the caller did not request them. */
  readonly members: RoutingMembers | undefined;
  readonly timing?: CompletionTiming | undefined;
}

/** Frames as text; as pieces of it where they are long, each made when it is taken. Pieces are not empty. */
export type FrameText = string | Iterable<string>;

/** The frames of one stream. */
export interface Frames {
  /** Encodes chunks as frames without finish reasons and usage, which are sent once and last (docs/decisions/0002). */
  encode(chunks: readonly ChatChunk[]): FrameText;
  /** Encodes the body that was sent to one endpoint. */
  encodeEcho(upstreamBody: unknown): string;
  /** The end of a completion, and of the stream. */
  encodeEnd(end: CompletionEnd): FrameText;
  /** The end of a stream that has failed after it had begun. `native`: upstream's own word for that, where it has one. */
  encodeError(error: GatewayError, native: string | null): FrameText;
  /** Lets go of what frames are still to be made of. Called when no more of them are taken; absent where nothing is held. */
  close?(): void;
}

/** An unstreamed completion. */
export interface WholeCompletion extends CompletionEnvelope {
  readonly chunks: readonly ChatChunk[];
  /** The error of its choices that upstream broke off; null where it broke off none. */
  readonly failure: GatewayError | null;
  /** Sources that upstream lists beside the message. */
  readonly citations: readonly unknown[] | undefined;
  readonly usage: Usage | undefined;
  /** Undefined when the caller did not request them. */
  readonly members: RoutingMembers | undefined;
  readonly timing?: CompletionTiming | undefined;
}

/** A completion whose outcome is known. */
export interface EndedCompletion extends CompletionEnvelope {
  /** Those of an unstreamed completion; null for a stream, of which frames have been encoded. */
  readonly chunks: readonly ChatChunk[] | null;
  readonly reason: FinishReason;
  /** What has ended it before its end; null for one that is complete, or was cancelled. */
  readonly error: GatewayError | null;
  readonly isCancelled: boolean;
  readonly usage: Usage | undefined;
  /** The texts that are stored with it. */
  readonly texts: EndedTexts;
}

/** The texts of a completion, and how long they are: the beginning of a long one is put aside, and not in the text. */
export interface EndedTexts {
  readonly text: string;
  readonly textLength: number;
  readonly reasoning: string;
  readonly reasoningLength: number;
  readonly toolCalls: readonly ToolCall[];
}
