import { type Platform, putRandomHex } from '../foundation/platform.ts';
import {
  firstValue,
  type GatewayRequest,
  type HeaderMap,
  type Principal,
  type RequestContext,
} from '../http/request.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import { refuseField } from '../wire/fields.ts';
import { nativeOf } from '../wire/native-request.ts';
import type { FormatName } from '../wire/routing-rules.ts';
import type { PipelineStage } from '../wire/routing.ts';
import type { CallKind, CallKindName, CallRegion, RequestLabels } from './call-kind.ts';

/** One call to a model, made once; guardrails return the same call with another request (docs/decisions/0024). */
export interface ModelCall<Request = unknown> {
  /** Id of its generation. */
  readonly id: string;
  readonly kind: CallKind<Request>;
  readonly request: Request;
  readonly principal: Principal;
  /** The session that the caller counts it to; null for none. */
  readonly session: string | null;
  /** The region of the host in the request: only endpoints of that region serve it, and its contents are not stored. */
  readonly region: CallRegion | null;
  readonly labels: CallLabels;
  /** The rule of the account that has chosen its models; absent where they are those that were asked for. */
  readonly ruled?: RuledCall | undefined;
  /** The stored prompt that the request named; undefined for none. */
  readonly prompt?: CalledPrompt | undefined;
  /** The preset that the request named; undefined for none. */
  readonly preset?: CalledPreset | undefined;
  /** The request in the form in which it came in, to be stored. */
  readonly received: ReceivedRequest;
}

/** A request as it came in. */
export interface ReceivedRequest {
  /** The API form of the body, or the kind of the call where it has only one. */
  readonly format: FormatName | CallKindName;
  readonly body: unknown;
  /** The body with its preset and its stored prompt in it; absent where it names neither. */
  readonly expanded?: unknown;
  readonly headers: HeaderMap;
}

export interface RuledCall {
  /** Name of the rule. */
  readonly rule: string;
  /** The first model that the caller asked for; null for none. */
  readonly requested: string | null;
}

/** The origin of a call for the record, in the caller's own words. */
interface CallLabels extends Omit<RequestLabels, 'session'> {
  readonly referer: string | null;
  readonly userAgent: string | null;
}

interface NewCall<Request> extends Pick<ModelCall<Request>, 'id' | 'kind' | 'request' | 'principal' | 'region'> {
  readonly headers: HeaderMap;
  /** Absent where the request itself is what came in. */
  readonly received?: Omit<ReceivedRequest, 'headers'> | undefined;
}

/** Makes the call of a checked request. Throws `invalid_request` for a session in the headers that is too long. */
export function createModelCall<Request>(given: NewCall<Request>): ModelCall<Request> {
  const { id, kind, principal, region, headers } = given;
  const request = withHeaderSession(given);
  const { session, externalUser: named, trace: ownTrace } = kind.labelsOf(request);
  const trace = withTraceContext(ownTrace, headers);
  const externalUser = named ?? principal.externalUser ?? null;
  const referer = toStoredHeader(headers['http-referer']) ?? toStoredHeader(headers['referer']);
  const labels = { referer, userAgent: toStoredHeader(headers['user-agent']), externalUser, trace };
  const { format, body, expanded } = given.received ?? formOf(kind, given.request);
  const received = expanded === undefined ? { format, body, headers } : { format, body, expanded, headers };
  return { id, kind, request, principal, session, region, labels, received };
}

/** A request in the form that is nearest to the one it came in. */
function formOf<Request>({ name, storedOf }: CallKind<Request>, request: Request): Omit<ReceivedRequest, 'headers'> {
  if (storedOf !== undefined) return { format: name, body: storedOf(request) };
  const native = nativeOf(request as ChatCompletionRequest);
  return native === undefined ? { format: name, body: request } : { format: native.form, body: native.body };
}

/** The call with its changed request as the one that came in: what guardrails take out of it is not stored. */
export function withoutReceived<Request>(call: ModelCall<Request>): ModelCall<Request> {
  const { headers } = call.received;
  return { ...call, received: { ...formOf(call.kind, call.request), headers } };
}

const MAX_SESSION_ID_LENGTH = 256;

/** The request with the session that the headers name, unless it names one itself: from here on they are the same. */
function withHeaderSession<Request>({ kind, request, headers }: NewCall<Request>): Request {
  const session = firstValue(headers['x-session-id']);
  if (session === undefined || kind.labelsOf(request).session !== null) return request;
  if (session.length <= MAX_SESSION_ID_LENGTH) return kind.withSession(request, session);
  throw refuseField('x-session-id', `must have at most ${MAX_SESSION_ID_LENGTH} characters`);
}

interface ReceiveParts {
  readonly platform: Pick<Platform, 'now' | 'randomBytes'>;
  readonly regionOf: (request: GatewayRequest) => CallRegion | null;
}

/**
 * Makes the call of a checked request that has come over HTTP; `received` is the form it came in, where that is another.
 * Throws as `createModelCall` does.
 */
export function receiveCall<Request>(
  kind: CallKind<Request>,
  body: Request,
  { request: http, principal, parts }: Pick<RequestContext<ReceiveParts>, 'request' | 'principal' | 'parts'>,
  received?: Omit<ReceivedRequest, 'headers'>,
): ModelCall<Request> {
  return createModelCall({
    id: createGenerationId(parts.platform),
    kind,
    request: body,
    principal,
    region: parts.regionOf(http),
    headers: http.headers,
    received,
  });
}

/** The same call with another request, which may have other words of its caller's in it. */
export function withRequest<Request>(call: ModelCall<Request>, request: Request): ModelCall<Request> {
  const { kind, principal } = call;
  const { session, externalUser, trace: ownTrace } = kind.labelsOf(request);
  const trace = withTraceContext(ownTrace, call.received.headers);
  return {
    ...call,
    request,
    session,
    labels: { ...call.labels, externalUser: externalUser ?? principal.externalUser ?? null, trace },
  };
}

/** Version 00 and later ones that begin as it does; ids of zeros alone are none. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** The trace of a request with the one that the header `traceparent` continues, unless the request names its own. */
function withTraceContext(trace: RequestLabels['trace'], headers: HeaderMap): RequestLabels['trace'] {
  const header = headers['traceparent'];
  if (header === undefined || trace?.['trace_id'] != null || trace?.['parent_span_id'] != null) return trace;
  const [, traceId, spanId] = TRACEPARENT.exec(firstValue(header)?.trim() ?? '') ?? [];
  return traceId === undefined ? trace : { ...trace, trace_id: traceId, parent_span_id: spanId };
}

/**
 * The header `traceparent` for an upstream: the trace that the call continues, with the call's own span, which is the one
 * that destinations get. Undefined where the call continues none.
 */
export function toTraceparent({ id, labels, received }: ModelCall<unknown>, { sha256 }: Pick<Platform, 'sha256'>) {
  const header = received.headers['traceparent'];
  if (header === undefined) return undefined;
  const [, traceId, parentId, flags] = TRACEPARENT.exec(firstValue(header)?.trim() ?? '') ?? [];
  if (traceId === undefined || labels.trace?.['trace_id'] !== traceId) return undefined;
  const hash = sha256(id);
  // Where hashes are promises, what comes from upstream stands beside the call's span.
  return `00-${traceId}-${typeof hash === 'string' ? hash.slice(0, 16) : parentId}-${flags}`;
}

/** Limit for a stored header, because callers choose their lengths. */
const MAX_STORED_HEADER = 512;

function toStoredHeader(value: HeaderMap[string]): string | null {
  return firstValue(value)?.slice(0, MAX_STORED_HEADER) ?? null;
}

/** The effects of guardrails, plugins and tools on one call, in order. It may grow until the call has ended. */
export interface Pipeline {
  readonly stages: readonly PipelineStage[];
  /** The one way to add to it. */
  add(stage: PipelineStage): void;
  /** Ids of the guardrails that exclude endpoints of the call; null without any. Set when the call is planned. */
  narrowedBy: readonly string[] | null;
  /** The id of the request, for the log; undefined where none has come in. */
  readonly requestId: string | undefined;
}

export function createPipeline(requestId?: string): Pipeline {
  const stages: PipelineStage[] = [];
  return { stages, add: (stage) => void stages.push(stage), narrowedBy: null, requestId };
}

/** The id in the making, used again for every one: calls of the same second share its beginning. */
let codes: number[] = [];
let prefix: readonly number[] = [];
let lastSecond = -1;

/** The id of a generation: sortable by second, unguessable by its random part. */
export function createGenerationId(platform: Pick<Platform, 'randomBytes' | 'now'>): string {
  const second = Math.floor(platform.now() / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    prefix = Array.from(`gen-${second}-`, (character) => character.charCodeAt(0));
    codes = [...prefix];
  }
  putRandomHex(codes, prefix.length, platform);
  return String.fromCharCode(...codes);
}

/** A version of a stored prompt. */
export interface CalledPrompt {
  readonly id: string;
  readonly version: number;
}

/** A version of a preset. */
export interface CalledPreset {
  readonly id: string;
  readonly slug: string;
  readonly version: number;
}

/** When a call passed each step before it was admitted, on the monotonic clock. */
export interface StepTimes {
  readonly receivedAt: number;
  /** The request was read and checked. */
  readonly readAt: number;
  readonly guardedAt: number;
  readonly plannedAt: number;
}
