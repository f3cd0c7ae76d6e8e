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
import type { ChatChunk } from '../../wire/chat-chunk.ts';
import type { NativeForm } from '../../wire/native-request.ts';
import type { ChatCall, DiscoveredModel, WholeProvider } from '../provider.ts';
import { toJsonBody } from './json-body.ts';
import { createSseDecoder, type StreamDecoder } from './sse-decoder.ts';
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

type OwnHeaders = Readonly<Record<string, string>> | undefined;

/** A request as it is sent, for headers that are made of it. */
export interface SentRequest {
  readonly url: string;
  readonly body: string;
}

/** The differences between one wire and the others. */
export interface ChatWire {
  /** Its name in stored requests. */
  readonly name: string;
  readonly toUrl: (call: ChatCall) => string;
  /** Builds the upstream body. Throws `invalid_request` that names what this wire cannot express. */
  readonly toBody: (call: ChatCall) => Awaitable<Record<string, unknown>>;
  /**
   * Headers of one call, beside those of every call; a promise where they take time, such as a signature over the body.
   * What it throws beside a `GatewayError` fails the attempt, and another endpoint may respond.
   */
  readonly toHeaders?: ((call: ChatCall, sent: SentRequest) => Awaitable<OwnHeaders>) | undefined;
  /** The form of requests that this wire sends as they came in. */
  readonly nativeForm?: NativeForm | undefined;
  /** Called once for each call. */
  readonly createReader: (options: CompletionReaderOptions) => CompletionReader;
  readonly readError: ReadError;
  /** Prefix of tool call ids. Default: `call`. */
  readonly toolCallPrefix?: string | undefined;
  /** Called for each stream, whose bytes it decodes into events. Default: server-sent events. */
  readonly createDecoder?: (() => StreamDecoder) | undefined;
  /** Whether `[DONE]` ends a stream. Default: yes; elsewhere it is passed over. */
  readonly endsWithDone?: boolean | undefined;
  readonly listUrl: string;
  /** Reads the body of its list of models. Throws `provider_unavailable` when it is none. */
  readonly readModels: (text: string, providerName: string) => Awaitable<readonly DiscoveredModel[]>;
}

type ResponseHead = Pick<TransportResponse, 'status' | 'headers'>;

const LIST_TIMEOUT_MS = 10_000;

/** Makes the chat members of a provider; each provider uses those that it offers. */
export function createChatWire(
  upstream: Upstream,
  wire: ChatWire,
): Required<Pick<WholeProvider, 'chat' | 'chatWhole' | 'listModels'>> {
  const { name, headers, credentials, secrets, transport } = upstream;
  const { toolCallPrefix = 'call', endsWithDone = true, toHeaders, createDecoder = createSseDecoder } = wire;
  const chatHeaders = { ...headers, 'content-type': 'application/json' };

  const toError = (head: ResponseHead, text: string): GatewayError =>
    toRefusalError(upstream, wire.readError, head, text);
  const refuseWebPage = (head: ResponseHead): void => {
    if (!typeOf(head).startsWith('text/html')) return;
    throw new GatewayError('provider_unavailable', `${name} returned a web page instead of a completion`);
  };

  // A promise only where the headers are one, so that other calls cost none.
  const toRequest = (call: ChatCall, body: Record<string, unknown>): Awaitable<TransportRequest> => {
    call.onUpstreamBody?.(toShownBody(body, (text) => hideValues(text, credentials)));
    call.onSent?.(wire.name, body);
    const { traceparent } = call;
    const headers = traceparent === undefined ? chatHeaders : { ...chatHeaders, traceparent };
    const url = wire.toUrl(call);
    if (toHeaders === undefined) return { ...toCallLimits(call), method: 'POST', url, headers, body: toJsonBody(body) };
    const request = { ...toCallLimits(call), method: 'POST' as const, url, headers, body: JSON.stringify(body) };
    const withOwn = (own: OwnHeaders): TransportRequest =>
      own === undefined ? request : { ...request, headers: { ...headers, ...own } };
    try {
      const own = toHeaders(call, request);
      return own instanceof Promise ? own.then(withOwn, refuseUnsigned) : withOwn(own);
    } catch (error) {
      return refuseUnsigned(error);
    }
  };
  const refuseUnsigned = (cause: unknown): never => {
    if (cause instanceof GatewayError) throw cause;
    const message = `${name} was not asked, because the headers of the request could not be made`;
    throw new GatewayError('provider_unavailable', message, { cause, metadata: { provider_name: name } });
  };

  const createReader = ({ generationId, native, keepsNative }: ChatCall): CompletionReader =>
    wire.createReader({
      keepsNative: keepsNative === true && native !== undefined && native.form === wire.nativeForm,
      providerName: name,
      secrets,
      makeId: (number) => `${toolCallPrefix}_${generationId.slice(-12)}_${number}`,
    });

  const askForWhole = (call: ChatCall, body: Record<string, unknown>): Promise<ChatChunk> => {
    const request = toRequest(call, body);
    const sending =
      request instanceof Promise ? request.then((late) => sendWhole(transport, late)) : sendWhole(transport, request);
    return sending.then((response) => {
      if (response.status !== 200) throw toError(response, toText(response.bytes));
      refuseWebPage(response);
      return createReader(call).readWhole(toText(response.bytes));
    });
  };

  // A body that is available at once costs no extra promise (docs/decisions/0012, 0016).
  const chatWhole = (call: ChatCall): Promise<ChatChunk> => {
    const body = wire.toBody(call);
    return body instanceof Promise ? body.then((late) => askForWhole(call, late)) : askForWhole(call, body);
  };

  const openChat = async (call: ChatCall): Promise<AsyncIterable<readonly ChatChunk[]>> => {
    if (!call.stream) return iterateOne([await chatWhole(call)]);
    const body = wire.toBody(call);
    const request = toRequest(call, body instanceof Promise ? await body : body);
    const response = await transport.send(request instanceof Promise ? await request : request);
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
    const hooks = { readEnd, onSignOfLife: call.onSignOfLife };
    return readEvents(response.body, { decoder: createDecoder(), readEvent, providerName: name }, hooks);
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
      return await wire.readModels(await readText(response.body), name);
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

/** Reads one event: a chunk, nothing, or the end of the completion. Throws the error that upstream reports. */
type ReadEvent = (data: string) => ChatChunk | 'done' | undefined;

interface EventReading {
  readonly decoder: StreamDecoder;
  readonly readEvent: ReadEvent;
  readonly providerName: string;
}

interface EventHooks {
  /** Makes the last chunk; throws for an incomplete completion. */
  readonly readEnd?: (() => ChatChunk) | undefined;
  readonly onSignOfLife?: (() => void) | undefined;
}

const END: IteratorResult<readonly ChatChunk[]> = { done: true, value: undefined };

/**
 * Yields the chunks that each piece of bytes completed, also before an error; tells of a piece that completed none.
 * Returns at the end of the completion or of the bytes, after the chunk of `readEnd`. Throws `provider_unavailable` when
 * the bytes end within an event. Written by hand: a generator cost as much per piece as the parsing of its events.
 */
function readEvents(
  body: TransportResponse['body'],
  { decoder, readEvent, providerName }: EventReading,
  { readEnd, onSignOfLife }: EventHooks = {},
): AsyncIterableIterator<readonly ChatChunk[]> {
  const pieces = body[Symbol.asyncIterator]();
  let phase: 'reading' | 'ended' | 'failed' | 'over' = 'reading';
  let failure: unknown;

  const readPiece = (bytes: Uint8Array): readonly ChatChunk[] => {
    const batch: ChatChunk[] = [];
    try {
      for (const data of decoder.push(bytes)) {
        const read = readEvent(data);
        if (read === 'done') {
          phase = 'ended';
          break;
        }
        if (read !== undefined) batch.push(read);
      }
    } catch (error) {
      phase = 'failed';
      failure = error;
    }
    // Later data is ignored, and so is the end of the connection.
    if (phase !== 'reading') void pieces.return?.().then(undefined, () => undefined);
    return batch;
  };

  const readLast = (): readonly ChatChunk[] => {
    phase = 'over';
    const unfinished = decoder.end();
    const read = unfinished === undefined ? undefined : readUnfinished(unfinished, readEvent, providerName);
    phase = 'ended';
    return read === undefined || read === 'done' ? [] : [read];
  };

  const batches: AsyncIterableIterator<readonly ChatChunk[]> = {
    [Symbol.asyncIterator]: () => batches,
    async next() {
      while (phase === 'reading') {
        const piece = await pieces.next();
        const batch = piece.done === true ? readLast() : readPiece(piece.value);
        if (batch.length > 0) return { done: false, value: batch };
        onSignOfLife?.();
      }
      const reached = phase;
      phase = 'over';
      if (reached === 'failed') throw failure;
      return reached === 'ended' && readEnd !== undefined ? { done: false, value: [readEnd()] } : END;
    },
    async return() {
      phase = 'over';
      await pieces.return?.();
      return END;
    },
  };
  return batches;
}

/** Only the blank line is missing when this can be read; otherwise the stream was cut within an event. */
function readUnfinished(data: string, readEvent: ReadEvent, providerName: string): ReturnType<ReadEvent> {
  if (!isJson(data) && !isBlank(data) && !isDoneMarker(data)) {
    throw new GatewayError('provider_unavailable', `${providerName} ended its response in the middle of an event`);
  }
  return readEvent(data);
}

function isJson(data: string): boolean {
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}

/** True for an event that only keeps the connection open. */
const isBlank = (data: string): boolean => data.length < 16 && data.trim() === '';

/** True for the marker with which OpenAI's wire ends a completion. */
const isDoneMarker = (data: string): boolean => data.length < 16 && data.trim().toUpperCase() === '[DONE]';
