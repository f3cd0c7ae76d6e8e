import type { UpstreamCosts, Usage } from '../wire/chat-chunk.ts';
import type { SpeechRequest } from '../wire/speech.ts';
import type { OnSent } from '../wire/stored-request.ts';
import type { TranscribedSegment, TranscribedWord } from '../wire/transcribed-parts.ts';
import type { TranscriptionFields } from '../wire/transcription.ts';
import type { SpeechFormat } from '../wire/values.ts';

/** What calls for speech and for transcriptions have in common. */
interface AudioCall {
  /** The provider's own name of the model. */
  readonly providerModel: string;
  /** The endpoint has prices of tokens alone: where the wire can be asked to count them, it is. */
  readonly countsTokens: boolean;
  /** The caller's options for this provider; of a gateway, for those behind it by their slugs. */
  readonly options: Readonly<Record<string, unknown>>;
  /** As in `ChatCall`. */
  readonly onSent?: OnSent | undefined;
  /** Aborting closes the upstream connection at once. */
  readonly signal: AbortSignal;
  /** Limit to the beginning of the result, in milliseconds; where the result comes whole, on the whole call. */
  readonly timeoutMs: number;
  /** Limit between two pieces of a streamed result. */
  readonly idleMs: number;
  /** Limit on the whole of a streamed result. */
  readonly totalMs: number;
}

export interface SpeechCall extends AudioCall {
  /** The checked request. `model`, `provider` and what is below are not for the provider as they stand in it. */
  readonly request: SpeechRequest;
  /** The voice that is asked for, or else the first that the model is known to have. */
  readonly voice: string | undefined;
  readonly format: SpeechFormat;
}

export interface SpeechResult {
  /** The media type of the bytes; absent where it is that of the requested format. */
  readonly contentType?: string | undefined;
  /** The bytes, consumed once. Ends normally only after all of them; every other end throws. */
  readonly body: AsyncIterable<Uint8Array>;
  /** What upstream has reported by now: all of it once the body has ended. A member of its own; results are copied. */
  readonly facts?: (() => AudioFacts) | undefined;
}

/** Audio to be read: it is sent piece by piece, so that no copy of it is made. */
export interface AudioFile {
  /** E.g. `wav`, `mp3`, in lower case. */
  readonly format: string;
  readonly filename: string;
  readonly mediaType: string;
  readonly byteLength: number;
  /** Length of the audio as far as its own header tells. */
  readonly seconds?: number | undefined;
  /** The bytes; as often as they are needed. */
  open(): Iterable<Uint8Array>;
}

export interface TranscriptionCall extends AudioCall {
  /** The checked request. `model`, `stream` and `provider` in it are not for the provider. */
  readonly request: TranscriptionFields;
  readonly audio: AudioFile;
  /** The result is to have segments, or words where the request asks for them, with their times. */
  readonly isTimed: boolean;
  /** The endpoint charges by the second: where the wire can be asked to name the length of the audio, it is. */
  readonly countsSeconds: boolean;
  /** Receives the text as it is made, where the wire can stream it; absent for a call that is not streamed. */
  readonly onText?: ((delta: string) => void) | undefined;
}

export interface TranscriptionResult extends AudioFacts {
  readonly text: string;
  readonly language?: string | undefined;
  readonly segments?: readonly TranscribedSegment[] | undefined;
  readonly words?: readonly TranscribedWord[] | undefined;
}

/** Facts that upstream reports about a call with audio, each absent where it does not. */
export interface AudioFacts {
  readonly usage?: Usage | undefined;
  /** Length of the audio that was read. */
  readonly seconds?: number | undefined;
  readonly upstreamId?: string | undefined;
  /** USD as upstream itself charges; wins over catalog prices. */
  readonly upstreamCostUsd?: number | undefined;
  readonly upstreamCosts?: UpstreamCosts | undefined;
  /** Display name of the provider behind an upstream that is a gateway. */
  readonly upstreamProvider?: string | undefined;
}
