import type { ReceivedRequest } from '../calls/model-call.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { GatewayError } from '../foundation/errors.ts';
import { isRecord } from '../foundation/parse.ts';
import type { HeaderMap } from '../http/request.ts';
import type { GenerationRepository } from '../stores/store.ts';
import type { OnSent, SentRequest, StoredRequest } from '../wire/stored-request.ts';
import { recordedEndpointId } from './to-generation.ts';

/**
 * The headers that are stored with a request: those that say in which form it is, what it is served with, and who sent it.
 * A list of what may be stored, not of what may not: a header that nobody knows may be a credential.
 */
export const STORED_HEADERS = [
  'anthropic-beta',
  'anthropic-version',
  'http-referer',
  'openai-beta',
  'referer',
  'user-agent',
  'x-claude-code-agent-id',
  'x-claude-code-parent-agent-id',
  'x-claude-code-request-class',
  'x-openai-subagent',
  'x-openrouter-cache',
  'x-openrouter-cache-clear',
  'x-openrouter-cache-ttl',
  'x-openrouter-experimental-metadata',
  'x-openrouter-metadata',
  'x-openrouter-title',
  'x-service-cache',
  'x-service-cache-clear',
  'x-service-cache-ttl',
  'x-service-experimental-metadata',
  'x-session-id',
  'x-title',
] as const;

/** Limit for a stored header, because callers choose their lengths. */
const MAX_HEADER_LENGTH = 2048;
/** A loop of tools may send many. */
const MAX_SENT = 200;

/** What was sent upstream for a call, in order. */
export type SentRequests = SentRequest[];

/** Notes what is sent to an endpoint. */
export function noteSentTo(endpoint: Endpoint, sent: SentRequests): OnSent {
  return (wire, body) => {
    if (sent.length < MAX_SENT) sent.push({ endpoint: recordedEndpointId(endpoint), wire, body });
  };
}

/** The request of a call as it is stored. */
export function toStoredRequest(
  { format, body: received, expanded, headers: all }: ReceivedRequest,
  sent: SentRequests,
): StoredRequest {
  const headers = toStoredHeaders(all);
  const body = withoutCredentials(received);
  const attempts = sent.map((one) => {
    const masked = withoutCredentials(one.body);
    return masked === one.body ? one : { ...one, body: masked };
  });
  return expanded === undefined
    ? { format, body, headers, attempts }
    : { format, body, expanded: withoutCredentials(expanded), headers, attempts };
}

/** Stands for a credential of a remote server. */
const MASK = '[SECRET]';

/**
 * The body without the credentials that a caller hands to a provider for remote servers (MCP), which are its own as those
 * in its headers are; the same object where there is none.
 */
function withoutCredentials(body: unknown): unknown {
  if (!isRecord(body)) return body;
  const { mcp_servers: servers, tools } = body;
  const isServed = Array.isArray(servers);
  const isRemote = Array.isArray(tools) && tools.some(isRemoteServer);
  if (!isServed && !isRemote) return body;
  return {
    ...body,
    ...(isServed && { mcp_servers: servers.map(maskServer) }),
    ...(isRemote && { tools: tools.map((tool) => (isRemoteServer(tool) ? maskServer(tool) : tool)) }),
  };
}

const isRemoteServer = (tool: unknown): boolean => isRecord(tool) && tool['type'] === 'mcp';

/** Replaces members where they are: the order of a body stays. */
function maskServer(server: unknown): unknown {
  if (!isRecord(server)) return server;
  const masked: Record<string, unknown> = { ...server };
  for (const name of ['authorization_token', 'authorization']) if (masked[name] != null) masked[name] = MASK;
  const { headers } = masked;
  if (isRecord(headers)) masked['headers'] = Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]));
  return masked;
}

/** The body of a stored request as it can be read by itself, with its preset and its stored prompt in it. */
export const readableBodyOf = ({ body, expanded }: Pick<StoredRequest, 'body' | 'expanded'>): unknown =>
  expanded ?? body;

function toStoredHeaders(headers: HeaderMap): Record<string, string> {
  const stored: Record<string, string> = {};
  for (const name of STORED_HEADERS) {
    const value = headers[name];
    if (value === undefined) continue;
    stored[name] = (typeof value === 'string' ? value : value.join(', ')).slice(0, MAX_HEADER_LENGTH);
  }
  return stored;
}

/** The stored request of a generation. Throws `not_found` with the reason why there is none. */
export async function findStoredRequest(
  id: string,
  generations: Pick<GenerationRepository, 'getContent'>,
): Promise<StoredRequest> {
  const content = await generations.getContent(id);
  if (content?.request !== undefined) return content.request;
  const reason =
    content === undefined
      ? `No content is stored for generation ${id}: it was deleted, was too long, or contents are not stored for its workspace or region`
      : `Generation ${id} has no stored request: it is not a call to a model, or was recorded before requests were stored`;
  throw new GatewayError('not_found', reason);
}
