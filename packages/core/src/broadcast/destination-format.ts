import type { z } from 'zod';

import type { CallKindName } from '../calls/call-kind.ts';
import type { Transport } from '../foundation/transport.ts';
import type { ExaminedCache } from '../generations/cache-doctor/report-caches.ts';
import type { ReportedMetric } from '../generations/gen-ai-figures.ts';
import type { StoredTrace } from '../generations/to-generation.ts';
import type { AuditRecord } from '../wire/audit.ts';
import type { DESTINATION_CONFIGS, DestinationType } from '../wire/destinations.ts';
import type { GenerationContent } from '../wire/generation.ts';

export type DestinationConfig<Type extends DestinationType> = z.infer<(typeof DESTINATION_CONFIGS)[Type]>;

/** A generation as a destination gets it, without the parts that this destination must not receive. */
export interface BroadcastTrace {
  /** 32 hex digits; shared by generations with the same `trace_id` of the caller. */
  readonly traceId: string;
  /** The caller's own id; the same as `traceId` where the caller gave none. */
  readonly givenTraceId: string;
  /** 16 hex digits, derived from the generation's id, so that a trace that is sent twice has the same. */
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /** The caller's own id. */
  readonly givenParentSpanId: string | null;
  readonly traceName: string;
  readonly spanName: string;
  /** The caller's other fields under `trace`. */
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
  /** Each endpoint that was asked, in order, where it was more than one: the span of a call with one is its attempt's. */
  readonly attempts: readonly BroadcastAttempt[];
  /** Why the prompt missed the cache of its provider, or did not; null where it was not examined. */
  readonly cache: ExaminedCache | null;
  /** Null when it is unknown or must not be sent. */
  readonly costUsd: number | null;
  /** Null when it must not be sent. */
  readonly identity: {
    readonly apiKeyName: string | null;
    /** The caller's field `user`. */
    readonly user: string | null;
    /** The member that the key belongs to. */
    readonly memberId: string | null;
  } | null;
  /** Null when it must not be sent. */
  readonly requestContext: { readonly referer: string | null; readonly userAgent: string | null } | null;
  /** Text only; null when there is none, or it must not be sent. */
  readonly content: GenerationContent | null;
}

/** One endpoint that was asked within a call. */
export interface BroadcastAttempt {
  /** 16 hex digits, always the same for the same attempt. */
  readonly spanId: string;
  readonly providerName: string | null;
  readonly model: string;
  /** Milliseconds since the epoch. The last one that did not fail ends with the call. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Upstream's HTTP status; null without a response. */
  readonly status: number | null;
  /** Null when it did not fail. */
  readonly errorType: string | null;
}

/** Figures of one process since it began, as a destination gets them. */
export interface MetricsReport {
  /** Of the process: each one reports its own. */
  readonly instanceId: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly at: number;
  readonly metrics: readonly ReportedMetric[];
}

export interface DestinationRequest {
  readonly method: 'POST' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/**
 * The protocol of one type of destination: it makes requests and sends none. One file each, listed where a server is
 * composed.
 */
export interface DestinationFormat<Type extends DestinationType = DestinationType> {
  readonly type: Type;
  /** The requests that carry these traces, at least one. A receiver that gets them twice must not count them twice. */
  toRequests(
    traces: readonly BroadcastTrace[],
    config: DestinationConfig<Type>,
  ): Promise<readonly DestinationRequest[]>;
  /**
   * The requests that carry these records of the audit log, in order. Absent where the type has no form for them. Sent
   * again after a crash: a receiver tells them by their `sequence` and `hash`.
   */
  toAuditRequests?(
    records: readonly AuditRecord[],
    config: DestinationConfig<Type>,
  ): Promise<readonly DestinationRequest[]>;
  /** The request that carries the figures of a process. Absent where the type has no form for them. */
  toMetricsRequest?(report: MetricsReport, config: DestinationConfig<Type>): DestinationRequest;
  /** A request without a trace that fails when one with traces would fail. */
  toTestRequest(config: DestinationConfig<Type>): Promise<DestinationRequest>;
  /** Statuses besides 2xx with which a test is passed. */
  readonly testStatuses?: readonly number[];
  /** Describes the error of a configuration; undefined for a valid one. */
  findConfigProblem?(
    config: DestinationConfig<Type>,
  ): { readonly field: keyof DestinationConfig<Type> & string; readonly problem: string } | undefined;
  /** Describes an error in a response with status 2xx, in a few words of the gateway's own; undefined for a success. */
  readResponse?(body: string): { readonly result: string; readonly isFinal: boolean } | undefined;
}

/** The options that broadcasting requires. */
export interface BroadcastOptions {
  readonly formats: readonly DestinationFormat[];
  /** Must refuse internal addresses: `createGuardedTransport` does on Node. */
  readonly transport: Transport;
  /** Describes why a URL can never be called, for the author of the destination; undefined for an allowed URL. */
  readonly findUrlProblem: (url: string) => string | undefined;
}
