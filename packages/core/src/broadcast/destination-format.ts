import type { CallKindName } from '../calls/call-kind.ts';
import type { StoredTrace } from '../generations/stored-trace.ts';
import type { z } from 'zod';

import type { DESTINATION_CONFIGS, DestinationType } from '../wire/destinations/destination.ts';
import type { GenerationContent } from '../wire/generations/generation.ts';
import type { Transport } from '../foundation/transport.ts';

export type DestinationConfig<Type extends DestinationType> = z.infer<(typeof DESTINATION_CONFIGS)[Type]>;

/** A generation as destinations get it: what its destination is not to see has been left out already. */
export interface BroadcastTrace {
  /** 32 hex digits; generations that a caller has given one `trace_id` share it. */
  readonly traceId: string;
  /** As the caller wrote it; the same as `traceId` where the caller gave none. */
  readonly givenTraceId: string;
  /** 16 hex digits, made from the generation's id: sent twice, it is the same. */
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /** As the caller wrote it. */
  readonly givenParentSpanId: string | null;
  readonly traceName: string;
  readonly spanName: string;
  /** What else the caller wrote under `trace`. */
  readonly metadata: StoredTrace;
  readonly generationId: string;
  readonly operation: CallKindName;
  readonly requestedModel: string;
  readonly model: string;
  readonly providerName: string | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly firstTokenMs: number | null;
  readonly finishReason: string | null;
  readonly nativeFinishReason: string | null;
  readonly isFailed: boolean;
  readonly isCancelled: boolean;
  readonly isStreamed: boolean;
  readonly sessionId: string | null;
  readonly tokens: {
    readonly prompt: number | null;
    readonly completion: number | null;
    readonly cached: number | null;
    readonly reasoning: number | null;
  };
  /** Null when it is not known, or not to be told. */
  readonly costUsd: number | null;
  /** Null when it is not to be told. */
  readonly identity: {
    readonly apiKeyName: string | null;
    /** What the caller gave as `user`. */
    readonly user: string | null;
    /** The member that the key belongs to. */
    readonly memberId: string | null;
  } | null;
  /** Null when it is not to be told. */
  readonly requestContext: { readonly referer: string | null; readonly userAgent: string | null } | null;
  /** Text alone; null when there is none, or it is not to be told. */
  readonly content: GenerationContent | null;
}

export interface DestinationRequest {
  readonly method: 'POST' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** How one type of destination is spoken to: it makes requests and sends none. One file each, listed where a server is composed. */
export interface DestinationFormat<Type extends DestinationType = DestinationType> {
  readonly type: Type;
  /** The requests that carry these traces, of which there is at least one. Sent twice, they must not count twice. */
  toRequests(
    traces: readonly BroadcastTrace[],
    config: DestinationConfig<Type>,
  ): Promise<readonly DestinationRequest[]>;
  /** A request that carries no trace, and fails when one with traces would. */
  toTestRequest(config: DestinationConfig<Type>): Promise<DestinationRequest>;
  /** Statuses besides 2xx with which a test is passed. */
  readonly testStatuses?: readonly number[];
  /** What is wrong with a configuration, beginning with the field's name; undefined when nothing is. */
  objectToConfig?(config: DestinationConfig<Type>): string | undefined;
  /** What an answer of 2xx says against the delivery, in a few words of ours; undefined when nothing. */
  readAnswer?(body: string): { readonly result: string; readonly isFinal: boolean } | undefined;
}

/** What broadcasting needs. */
export interface BroadcastOptions {
  readonly formats: readonly DestinationFormat[];
  /** Must refuse addresses that nobody has any business with: `createGuardedTransport` does on Node. */
  readonly transport: Transport;
  /** Why a URL can never be called, in words for its author; undefined when nothing speaks against it. */
  readonly objectToUrl: (url: string) => string | undefined;
}
