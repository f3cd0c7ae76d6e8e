import type { Platform } from '../foundation/platform.ts';
import type { Principal } from '../http/principal.ts';
import type { RequestContext } from '../http/request-context.ts';
import { firstValue, type GatewayRequest, type HeaderMap } from '../http/request.ts';
import { refuseField } from '../wire/fields.ts';
import type { PipelineStage } from '../wire/routing.ts';
import type { CallKind, RequestLabels } from './call-kind.ts';
import type { CallRegion } from './call-region.ts';
import { createGenerationId } from './generation-id.ts';

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
}

export interface RuledCall {
  /** Name of the rule. */
  readonly rule: string;
  /** The first model that the caller asked for; null for none. */
  readonly requested: string | null;
}

/** The origin of a call for the record, in the caller's own words. */
export interface CallLabels extends Omit<RequestLabels, 'session'> {
  readonly referer: string | null;
  readonly userAgent: string | null;
}

export interface NewCall<Request> extends Pick<ModelCall<Request>, 'id' | 'kind' | 'request' | 'principal' | 'region'> {
  readonly headers: HeaderMap;
}

/** Makes the call of a checked request. Throws `invalid_request` for a session in the headers that is too long. */
export function createModelCall<Request>(given: NewCall<Request>): ModelCall<Request> {
  const { id, kind, principal, region, headers } = given;
  const request = withHeaderSession(given);
  const { session, externalUser: named, trace } = kind.labelsOf(request);
  const externalUser = named ?? principal.externalUser ?? null;
  const referer = toStoredHeader(headers['http-referer']) ?? toStoredHeader(headers['referer']);
  const labels = { referer, userAgent: toStoredHeader(headers['user-agent']), externalUser, trace };
  return { id, kind, request, principal, session, region, labels };
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

/** Makes the call of a checked request that has come over HTTP. Throws as `createModelCall` does. */
export function receiveCall<Request>(
  kind: CallKind<Request>,
  body: Request,
  { request: http, principal, parts }: Pick<RequestContext<ReceiveParts>, 'request' | 'principal' | 'parts'>,
): ModelCall<Request> {
  return createModelCall({
    id: createGenerationId(parts.platform),
    kind,
    request: body,
    principal,
    region: parts.regionOf(http),
    headers: http.headers,
  });
}

/** The same call with another request, which may have other words of its caller's in it. */
export function withRequest<Request>(call: ModelCall<Request>, request: Request): ModelCall<Request> {
  const { kind, principal } = call;
  const { session, externalUser, trace } = kind.labelsOf(request);
  return {
    ...call,
    request,
    session,
    labels: { ...call.labels, externalUser: externalUser ?? principal.externalUser ?? null, trace },
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
  /** Ids of the guardrails that exclude endpoints of the call; null without any. Set when the call is planned. */
  narrowedBy: readonly string[] | null;
}

export function createPipeline(): Pipeline {
  const stages: PipelineStage[] = [];
  return { stages, add: (stage) => void stages.push(stage), narrowedBy: null };
}
