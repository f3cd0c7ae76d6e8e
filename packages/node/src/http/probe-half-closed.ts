import type { ServerResponse } from 'node:http';

import type { TimerWheel } from '@model-gateway/core';

import { hostWheel } from './host-wheel.ts';

/** Quick responses are ready by then. A refusal of one probe becomes known with the next. */
const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 5000;

/**
 * Call when a client has ended its side of the connection before its response has ended. It may read on, or have left:
 * the two look the same until something is written, which the system of a client that has left refuses. What is written
 * means nothing to a client that reads on: a comment into a stream of events, `100 Continue` before other responses.
 * HTTP/1.0 has neither, and proxies that speak it leave in this way, so a call of theirs that is not quick ends.
 */
export function probeHalfClosed(response: ServerResponse, wheel: TimerWheel = hostWheel): void {
  let delayMs = FIRST_DELAY_MS;
  const probe = wheel.add(() => {
    if (writeProbe(response)) probe.set(delayMs);
    delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
  });
  response.once('close', () => probe.clear());
  // A stream has keep-alive comments anyway.
  if (response.headersSent) writeProbe(response);
  probe.set(FIRST_DELAY_MS);
}

/** Returns whether further probes are of use: a response on its way needs none, its own bytes show as much. */
function writeProbe(response: ServerResponse): boolean {
  if (response.writableEnded || response.destroyed) return false;
  if (!response.headersSent) {
    if (response.req.httpVersion === '1.0') response.destroy();
    else response.writeContinue();
    return !response.destroyed;
  }
  // Headers that are passed to `writeHead` are in this member alone, which Node does not document.
  const head = (response as { _header?: string | null })._header ?? '';
  const isEvents = /^content-type: text\/event-stream/im.test(head);
  if (isEvents && response.writableLength === 0) response.write(':\n\n');
  return isEvents;
}
