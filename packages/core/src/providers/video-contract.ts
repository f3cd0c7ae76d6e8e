import type { VideoRequest } from '../wire/videos.ts';

/** The properties of a video, derived from the caller's request. */
export interface VideoOrder {
  readonly prompt: string | undefined;
  readonly durationSeconds: number | undefined;
  /** `1280x720` */
  readonly size: string | undefined;
  readonly resolution: string | undefined;
  readonly aspectRatio: string | undefined;
  readonly generateAudio: boolean;
  readonly seed: number | undefined;
  readonly creativity: number | undefined;
  readonly upscaleFactor: number | undefined;
  readonly frameImages: NonNullable<VideoRequest['frame_images']>;
  readonly inputReferences: NonNullable<VideoRequest['input_references']>;
  /** Upstream's id of the finished job that this one continues. */
  readonly previousUpstreamId: string | undefined;
  /** The caller's options for this provider, under the provider's own names. */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface VideoStart {
  readonly providerModel: string;
  readonly order: VideoOrder;
  /** The same for every attempt at one job, for upstreams that honour it. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** A job in upstream's terms. Small, because it is stored with the gateway's own record of the job. */
export interface UpstreamJob {
  /** Upstream's id, or the address of the job. */
  readonly upstreamId: string;
  readonly providerModel: string;
}

export interface VideoCall {
  readonly job: UpstreamJob;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** One finished video. `url` is upstream's address of it, where there is one that requires no key. */
export interface VideoOutput {
  readonly url?: string | undefined;
  readonly contentType?: string | undefined;
}

/** The result of one poll of a job. `unknown` is a status that the wire does not define: poll again later. */
export interface VideoProgress {
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'expired' | 'unknown';
  /** The error, in a form that the caller may see. */
  readonly error?: string | undefined;
  readonly outputs?: readonly VideoOutput[] | undefined;
  /** The cost that upstream itself reports. */
  readonly costUsd?: number | undefined;
  /** Length of the finished video, where upstream reports it. */
  readonly durationSeconds?: number | undefined;
  /** Billed tokens, where upstream counts so. */
  readonly tokens?: number | undefined;
  /** Time until the next poll, as upstream requires. */
  readonly retryAfterMs?: number | undefined;
}

export interface VideoStarted extends VideoProgress {
  readonly upstreamId: string;
}

export interface VideoFetch extends VideoCall {
  readonly index: number;
  readonly output: VideoOutput;
  /** Conditions and ranges, passed on unchanged. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The bytes of a video as upstream sends them: 200, 206, 304 or 416. Leaving the body early closes the connection. */
export interface VideoContent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** A look for a job whose id was lost between submission and record. Times are milliseconds since the epoch. */
export interface VideoSearch {
  readonly providerModel: string;
  readonly order: VideoOrder;
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/**
 * The video part of a provider, one member with all its operations (docs/decisions/0014): functions without loop or
 * state. Each throws `GatewayError` (upstream refused) or `TransportError`.
 */
export interface VideoProvider {
  /** Two starts with the same idempotency key make one job. */
  readonly honoursIdempotencyKey: boolean;
  start(call: VideoStart): Promise<VideoStarted>;
  poll(call: VideoCall): Promise<VideoProgress>;
  fetch(call: VideoFetch): Promise<VideoContent>;
  /** Upstream's ids of jobs this order may have made in this time. Absent where no list distinguishes jobs. */
  find?(call: VideoSearch): Promise<readonly string[]>;
}
