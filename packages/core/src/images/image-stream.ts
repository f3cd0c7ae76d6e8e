import type { ModelCall } from '../calls/model-call.ts';
import { toCallError } from '../dispatch/ask-endpoint.ts';
import type { CallContext } from '../dispatch/prepare-call.ts';
import type { WholeCallParts, WholeResult } from '../dispatch/run-whole-call.ts';
import type { GatewayError } from '../foundation/errors.ts';
import type { GatewayResponse } from '../http/response.ts';
import type { ImagePart, ImageResult } from '../providers/image-contract.ts';
import type { ImageRequest } from '../wire/images.ts';
import { runImages } from './images.ts';
import { writeImages } from './write-images.ts';

/** How images are written in one form of the API. `created`: Unix seconds. */
export interface ImageForm {
  toWhole(whole: WholeResult<ImageResult>, created: number): object;
  /** One event of a stream; null for a part that the form has no event for. */
  toPart(part: ImagePart, created: number): object | null;
  /** The last events, one for each image. */
  toCompleted(whole: WholeResult<ImageResult>, created: number): readonly object[];
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};
/** A comment, which clients pass over. */
const KEEP_ALIVE = ': SERVICE PROCESSING\n\n';
const DONE = 'data: [DONE]\n\n';

const encoder = new TextEncoder();
const toFrame = (event: object): string => `data: ${writeImages(event)}\n\n`;

/**
 * Runs a call for images and sends them as events. Resolves at the first part, the end, or the keep-alive interval; an
 * error before any of them rejects, and a later one is an event. A provider that makes no parts gets a stream with the
 * finished images alone.
 */
export async function streamImages(
  call: ModelCall<ImageRequest>,
  context: CallContext<WholeCallParts>,
  form: ImageForm,
): Promise<GatewayResponse> {
  const { platform, timeouts } = context.parts;
  const created = Math.floor(platform.now() / 1000);
  const outlet = createOutlet();
  const timer = { clear: (): void => undefined };
  const keepAlive = (): void => {
    timer.clear = platform.setTimer(() => {
      outlet.push(KEEP_ALIVE);
      keepAlive();
    }, timeouts.keepAliveMs);
  };
  const begun = new Promise<void>((resolve) => outlet.onFirst(resolve));
  keepAlive();
  const made = runImages(call, context, (part) => {
    const event = form.toPart(part, created);
    if (event !== null) outlet.push(toFrame(event));
  });
  const ended = made.finally(() => timer.clear());
  const sent = ended.then(
    (whole) => outlet.end(form.toCompleted(whole, created).map(toFrame).join('') + DONE),
    (thrown: unknown) => outlet.end(toFrame(toErrorEvent(toCallError(thrown, ''))) + DONE),
  );
  await Promise.race([begun, ended]);
  void sent;
  return { status: 200, headers: { ...STREAM_HEADERS, ...context.responseHeaders }, body: outlet.body };
}

/** The error of a stream that has begun. A failure of the gateway itself does not mention its cause. */
function toErrorEvent({ code, errorType, message }: GatewayError): object {
  const shown = code === 'internal' ? 'Internal Server Error' : message;
  return { type: 'error', error: { code: errorType, message: shown, param: null, type: errorType } };
}

interface Outlet {
  /** By hand, because the `return()` of a generator would wait for the next frame. */
  readonly body: AsyncIterable<Uint8Array>;
  push(frame: string): void;
  /** The last frames. */
  end(frame: string): void;
  /** Calls back when there is something to send. */
  onFirst(listener: () => void): void;
}

/** Frames that wait for their reader, or a reader that waits for frames. */
function createOutlet(): Outlet {
  let held: string[] = [];
  let isOver = false;
  let onFirst = (): void => undefined;
  let reader: ((step: IteratorResult<Uint8Array>) => void) | null = null;

  const take = (): IteratorResult<Uint8Array> => {
    const text = held.join('');
    held = [];
    return text === '' ? { done: true, value: undefined } : { done: false, value: encoder.encode(text) };
  };
  const push = (frame: string): void => {
    onFirst();
    held.push(frame);
    const waiting = reader;
    reader = null;
    waiting?.(take());
  };
  const iterator: AsyncIterator<Uint8Array> = {
    next: () =>
      held.length > 0 || isOver
        ? Promise.resolve(take())
        : new Promise((resolve) => {
            reader = resolve;
          }),
    return() {
      held = [];
      isOver = true;
      const waiting = reader;
      reader = null;
      waiting?.({ done: true, value: undefined });
      return Promise.resolve({ done: true, value: undefined });
    },
  };
  return {
    body: { [Symbol.asyncIterator]: () => iterator },
    push: (frame) => {
      if (!isOver) push(frame);
    },
    end(frame) {
      if (isOver) return;
      isOver = true;
      push(frame);
    },
    onFirst: (listener) => void (onFirst = listener),
  };
}
