import type { Principal } from '../http/principal.ts';
import { firstValue, type HeaderMap } from '../http/request.ts';
import type { PipelineStage } from '../wire/chat/pipeline-stage.ts';
import type { CallKind, RequestLabels } from './call-kind.ts';

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
  readonly region: string | null;
  readonly labels: CallLabels;
}

/** The origin of a call for the record, in the caller's own words. */
export interface CallLabels extends Omit<RequestLabels, 'session'> {
  readonly referer: string | null;
  readonly userAgent: string | null;
}

export interface NewCall<Request> extends Pick<ModelCall<Request>, 'id' | 'kind' | 'request' | 'principal' | 'region'> {
  readonly headers: HeaderMap;
  /** The session that a header names; the one of the request goes before it. */
  readonly headerSession: string | null;
}

export function createModelCall<Request>(given: NewCall<Request>): ModelCall<Request> {
  const { id, kind, request, principal, region, headers, headerSession } = given;
  const { session, externalUser, trace } = kind.labelsOf(request);
  const referer = toStoredHeader(headers['http-referer']) ?? toStoredHeader(headers['referer']);
  const labels = { referer, userAgent: toStoredHeader(headers['user-agent']), externalUser, trace };
  return { id, kind, request, principal, session: session ?? headerSession, region, labels };
}

/** The same call with another request, which may have other words of its caller's in it. */
export function withRequest<Request>(call: ModelCall<Request>, request: Request): ModelCall<Request> {
  const { kind } = call;
  const { session, externalUser, trace } = kind.labelsOf(request);
  const isOfRequest = kind.labelsOf(call.request).session !== null;
  return {
    ...call,
    request,
    session: isOfRequest ? session : call.session,
    labels: { ...call.labels, externalUser, trace },
  };
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
}

export function createPipeline(): Pipeline {
  const stages: PipelineStage[] = [];
  return { stages, add: (stage) => void stages.push(stage) };
}
