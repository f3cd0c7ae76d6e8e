import { type Awaitable, createLazyIterable, iterateOne } from '../../foundation/awaitable.ts';
import { GatewayError } from '../../foundation/errors.ts';
import {
  readErrorText,
  readText,
  sendWhole,
  toText,
  type TransportRequest,
  type TransportResponse,
} from '../../foundation/transport.ts';
import type { ChatChunk, NativeForm } from '../../wire/chat-chunk.ts';
import type { ChatCall, DiscoveredModel, WholeProvider } from '../provider.ts';
import { isBlank, isDoneMarker, readEvents } from './read-response.ts';
import { hideValues, toShownBody, type Upstream } from './to-upstream.ts';
import { type ReadError, toRefusalError } from './upstream-error.ts';

/** Reads one completion, whole or event by event. Holds what must be remembered between events. */
export interface CompletionReader {
  /**
   * Undefined when the event adds nothing, `done` for one that ends the completion. Throws `GatewayError` for an error
   * event or one that cannot be read.
   */
  readEvent(data: string): ChatChunk | 'done' | undefined;
  /**
   * Called once after the last event, for the last chunk. Throws `provider_unavailable` when the completion broke off.
   * Absent on wires whose last event is complete.
   */
  readEnd?(): ChatChunk;
  /** Reads a whole, unstreamed completion. Throws `GatewayError` when it is an error or no completion. */
  readWhole(text: string): ChatChunk;
}

export interface CompletionReaderOptions {
  readonly providerName: string;
  readonly secrets: readonly string[];
  /** Makes the id of a tool call that came without one, from its number in the completion. */
  readonly makeId: (number: number) => string;
  /** Chunks are to hold the events that they were read from. */
  readonly keepsNative?: boolean | undefined;
}

/** The differences between one wire and the others. */
export interface ChatWire {
  readonly toUrl: (call: ChatCall) => string;
  /** Builds the upstream body. Throws `invalid_request` that names what this wire cannot express. */
  readonly toBody: (call: ChatCall) => Awaitable<Record<string, unknown>>;
  /** Headers of one call, beside those of every call. */
  readonly toHeaders?: ((call: ChatCall) => Readonly<Record<string, string>> | undefined) | undefined;
  /** The form of requests that this wire sends as they came in. */
  readonly nativeForm?: NativeForm | undefined;
  /** Called once for each call. */
  readonly createReader: (options: CompletionReaderOptions) => CompletionReader;
  readonly readError: ReadError;
  /** Prefix of tool call ids. Default: `call`. */
  readonly toolCallPrefix?: string | undefined;
  /** Whether `[DONE]` ends a stream. Default: yes; elsewhere it is passed over. */
  readonly endsWithDone?: boolean | undefined;
  readonly listUrl: string;
  /** Reads the body of its list of models. Throws `provider_unavailable` when it is none. */
  readonly readModels: (text: string, providerName: string) => readonly DiscoveredModel[];
}

type ResponseHead = Pick<TransportResponse, 'status' | 'headers'>;

const LIST_TIMEOUT_MS = 10_000;

/** Makes the chat members of a provider; each provider uses those that it offers. */
export function createChatWire(
  upstream: Upstream,
  wire: ChatWire,
): Required<Pick<WholeProvider, 'chat' | 'chatWhole' | 'listModels'>> {
  const { name, headers, credentials, secrets, transport } = upstream;
  const { toolCallPrefix = 'call', endsWithDone = true, toHeaders } = wire;
  const chatHeaders = { ...headers, 'content-type': 'application/json' };

  const toError = (head: ResponseHead, text: string): GatewayError =>
    toRefusalError(upstream, wire.readError, head, text);
  const refuseWebPage = (head: ResponseHead): void => {
    if (!typeOf(head).startsWith('text/html')) return;
    throw new GatewayError('provider_unavailable', `${name} returned a web page instead of a completion`);
  };

  const toRequest = (call: ChatCall, body: Record<string, unknown>): TransportRequest => {
    call.onUpstreamBody?.(toShownBody(body, (text) => hideValues(text, credentials)));
    return {
      ...toCallLimits(call),
      method: 'POST',
      url: wire.toUrl(call),
      headers: toHeaders === undefined ? chatHeaders : { ...chatHeaders, ...toHeaders(call) },
      body: JSON.stringify(body),
    };
  };

  const createReader = ({ generationId, native, keepsNative }: ChatCall): CompletionReader =>
    wire.createReader({
      keepsNative: keepsNative === true && native !== undefined && native.form === wire.nativeForm,
      providerName: name,
      secrets,
      makeId: (number) => `${toolCallPrefix}_${generationId.slice(-12)}_${number}`,
    });

  const askForWhole = (call: ChatCall, body: Record<string, unknown>): Promise<ChatChunk> =>
    sendWhole(transport, toRequest(call, body)).then((response) => {
      if (response.status !== 200) throw toError(response, toText(response.bytes));
      refuseWebPage(response);
      return createReader(call).readWhole(toText(response.bytes));
    });

  // A body that is available at once costs no extra promise (docs/decisions/0012, 0016).
  const chatWhole = (call: ChatCall): Promise<ChatChunk> => {
    const body = wire.toBody(call);
    return body instanceof Promise ? body.then((late) => askForWhole(call, late)) : askForWhole(call, body);
  };

  const openChat = async (call: ChatCall): Promise<AsyncIterable<readonly ChatChunk[]>> => {
    if (!call.stream) return iterateOne([await chatWhole(call)]);
    const body = wire.toBody(call);
    const response = await transport.send(toRequest(call, body instanceof Promise ? await body : body));
    if (response.status !== 200) throw toError(response, await readErrorText(response.body));
    refuseWebPage(response);
    const reader = createReader(call);
    // A server that ignores `stream`, or a proxy that drops the query, sends the completion whole.
    if (typeOf(response).startsWith('application/json')) {
      return iterateOne([reader.readWhole(await readText(response.body))]);
    }
    const readEvent = (data: string): ChatChunk | 'done' | undefined => {
      if (isDoneMarker(data)) return endsWithDone ? 'done' : undefined;
      return isBlank(data) ? undefined : reader.readEvent(data);
    };
    const { readEnd } = reader;
    return readEvents(response.body, readEvent, name, { readEnd, onSignOfLife: call.onSignOfLife });
  };

  return {
    chat: (call) => createLazyIterable(() => openChat(call)),
    chatWhole,
    async listModels(signal) {
      const response = await transport.send({
        method: 'GET',
        url: wire.listUrl,
        headers,
        signal,
        headersTimeoutMs: LIST_TIMEOUT_MS,
        idleTimeoutMs: LIST_TIMEOUT_MS,
        totalTimeoutMs: LIST_TIMEOUT_MS,
      });
      if (response.status !== 200) throw toError(response, await readErrorText(response.body));
      return wire.readModels(await readText(response.body), name);
    },
  };
}

function typeOf({ headers }: ResponseHead): string {
  return headers['content-type']?.toLowerCase() ?? '';
}

/** The limits that a chat call sets to its transport. */
function toCallLimits({
  stream,
  signal,
  timeouts,
}: ChatCall): Pick<TransportRequest, 'signal' | 'headersTimeoutMs' | 'idleTimeoutMs' | 'totalTimeoutMs'> {
  // An unstreamed completion sends nothing until it is whole, so only the limit on the whole applies.
  return stream
    ? {
        signal,
        headersTimeoutMs: timeouts.headersMs,
        idleTimeoutMs: timeouts.idleMs,
        totalTimeoutMs: timeouts.totalMs,
      }
    : {
        signal,
        headersTimeoutMs: timeouts.nonStreamMs,
        idleTimeoutMs: timeouts.nonStreamMs,
        totalTimeoutMs: timeouts.nonStreamMs,
      };
}
