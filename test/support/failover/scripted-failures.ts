import {
  DONE_EVENT,
  FINISH_EVENT,
  LAST_HTTP_CHUNK,
  type RawRequest,
  type RawUpstream,
  startRawUpstream,
  STREAM_HEAD,
  toHttpChunk,
  toRawResponse,
  toTextEvent,
  toWhole,
  USAGE_EVENT,
} from '../upstreams/raw-upstream.ts';

/** A streamed completion has so many deltas. */
const DELTAS = 60;
const WORDS = Array.from({ length: DELTAS }, (_, index) => `w${index} `);

/** The whole text of every upstream, of which each word comes once. */
export const WHOLE_TEXT = WORDS.join('');

const isStreamed = ({ body }: RawRequest): boolean => /"stream":true/.test(body);

/** Cuts the events of a stream into what is sent in one HTTP chunk each. */
type Cut = (events: readonly string[]) => readonly (string | Uint8Array)[];
const byEvent: Cut = (events) => events;

/** Sends the first so many deltas. */
function sendDeltas({ socket }: RawRequest, count: number, cut: Cut = byEvent): void {
  socket.write(STREAM_HEAD);
  for (const piece of cut(WORDS.slice(0, count).map(toTextEvent))) socket.write(toHttpChunk(piece));
}

/** The whole completion, in the form that is asked for. */
export const serveWhole = (request: RawRequest): void => serveUpTo(request, FINISH_EVENT + USAGE_EVENT + DONE_EVENT);

/** The same with these events after the last delta. */
function serveUpTo(request: RawRequest, ends: string): void {
  if (!isStreamed(request)) return void request.socket.write(toRawResponse(200, toWhole(WHOLE_TEXT)));
  sendDeltas(request, DELTAS);
  request.socket.write(toHttpChunk(ends));
  request.socket.write(LAST_HTTP_CHUNK);
}

/** How a primary upstream behaves; `call` counts its requests from 1. */
export type Fault = (request: RawRequest, call: number) => void;

const refuse =
  (status: number, error: object, headers: Readonly<Record<string, string | number>> = {}): Fault =>
  ({ socket }) =>
    void socket.write(toRawResponse(status, { error }, headers));

const once =
  (fault: Fault): Fault =>
  (request, call) =>
    call === 1 ? fault(request, call) : serveWhole(request);

function cutAfter(deltas: number, cut: Cut, request: RawRequest): void {
  if (!isStreamed(request)) return void request.socket.resetAndDestroy();
  sendDeltas(request, deltas, cut);
  setImmediate(() => request.socket.destroy());
}

/** A stream that is cut off after 40 deltas, which come in these pieces. */
export const cutOffIn =
  (cut: Cut): Fault =>
  (request) =>
    cutAfter(40, cut, request);

export const FAULTS = {
  rateLimitedOnce: once(refuse(429, { message: 'slow down' }, { 'retry-after': 2 })),
  rateLimited: refuse(429, { message: 'slow down' }, { 'retry-after': 60 }),
  /** Names a short wait each time, and means none of them. */
  rateLimitedInVain: refuse(429, { message: 'slow down' }, { 'retry-after': 2 }),
  failsOnce: once(refuse(500, { message: 'oops' })),
  fails: refuse(500, { message: 'oops' }),
  overloaded: refuse(503, { message: 'overloaded' }),
  resets: ({ socket }) => void socket.resetAndDestroy(),
  staysSilent: () => undefined,
  /** Accepts a stream, and thinks. */
  sendsNoToken: (request) => {
    if (isStreamed(request)) sendDeltas(request, 0);
  },
  cutAfter40: (request) => cutAfter(40, byEvent, request),
  silentAfter20: (request) => {
    if (isStreamed(request)) sendDeltas(request, 20);
  },
  sendsNoJson: (request) => {
    if (!isStreamed(request)) return void request.socket.write(toRawResponse(200, '{"choices":[{"mess'));
    sendDeltas(request, 30);
    request.socket.write(toHttpChunk('data: {"choices":[{"delta":\n\n'));
  },
  endsWithoutDone: (request) => serveUpTo(request, FINISH_EVENT + USAGE_EVENT),
  refusesLength: refuse(400, { message: 'maximum context length is 4 tokens', code: 'context_length_exceeded' }),
  refusesContent: refuse(400, { message: 'flagged', code: 'content_filter' }),
} satisfies Record<string, Fault>;

/** Serves whole completions, and refuses every request that ends with a beginning of the answer. */
export const refusesPrefill: Fault = (request) => {
  const { messages } = JSON.parse(request.body) as { messages: { role: string }[] };
  if (messages.at(-1)?.role !== 'assistant') return serveWhole(request);
  request.socket.write(toRawResponse(400, { error: { message: 'the last message must be of the user' } }));
};

/** Goes on with the text with which a request ends, else begins it. */
export const continuesText: Fault = (request) => {
  const { messages } = JSON.parse(request.body) as { messages: { role: string; content: string }[] };
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return serveWhole(request);
  request.socket.write(STREAM_HEAD);
  request.socket.write(toHttpChunk(toTextEvent(WHOLE_TEXT.slice(last.content.length))));
  request.socket.write(toHttpChunk(FINISH_EVENT + USAGE_EVENT + DONE_EVENT));
  request.socket.write(LAST_HTTP_CHUNK);
};

/** Starts an upstream that behaves like this. */
export const startFaulty = (fault: Fault): Promise<RawUpstream> =>
  startRawUpstream((request, { requests }) => fault(request, requests.length));
