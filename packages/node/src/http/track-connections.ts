import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

import { clearTimeout, setTimeout } from '../node-timers.ts';
import { hostWheel } from './write-response.ts';

interface TrackedConnections {
  /** Call for every request that gets a response object. */
  noteRequest(request: IncomingMessage, response: ServerResponse): void;
  /**
   * Accepts no more connections, closes idle ones, and closes each of the others after its last response. Resolves when
   * all are closed; after `drainMs` the remaining ones are cut.
   */
  close(drainMs: number): Promise<void>;
}

/**
 * Follows a server's connections to close them without loss: Node's `close()` cuts ended responses that are not sent
 * completely, and keeps connections open whose response ends later (docs/decisions/0013).
 */
export function trackConnections(server: Server): TrackedConnections {
  /** Unsent responses by connection: more than one where the client does not wait for the first. */
  const responsesOf = new Map<Socket, ServerResponse[]>();
  let isClosing = false;

  server.on('connection', (socket: Socket) => {
    responsesOf.set(socket, []);
    socket.once('close', () => responsesOf.delete(socket));
    socket.once('end', () => probeFirst(responsesOf.get(socket)));
  });

  return {
    noteRequest({ socket }, response) {
      const responses = responsesOf.get(socket);
      responses?.push(response);
      if (isClosing) response.shouldKeepAlive = false;
      response.on('close', () => {
        // Responses are sent in the order of their requests.
        responses?.shift();
        if (isClosing) socket.destroySoon();
        else if (socket.readableEnded) probeFirst(responses);
      });
    },
    close(drainMs) {
      isClosing = true;
      for (const responses of responsesOf.values()) {
        for (const response of responses) if (!response.headersSent) response.shouldKeepAlive = false;
      }
      return new Promise((resolve) => {
        const cut = setTimeout(() => {
          for (const socket of responsesOf.keys()) socket.destroy();
        }, drainMs);
        NetServer.prototype.close.call(server, () => {
          clearTimeout(cut);
          // No connection is left to be cut; this call stops the timer that looks for slow requests.
          server.close(() => resolve());
        });
        for (const [socket, responses] of responsesOf) if (responses.length === 0) socket.destroy();
      });
    },
  };
}

/** Call when the client has ended its side. Only the first response can be written to. */
function probeFirst(responses: readonly ServerResponse[] = []): void {
  const [open] = responses;
  // A request that has broken off is refused as malformed.
  if (open?.req.complete === true) probeHalfClosed(open);
}

/** Quick responses are ready by then. A refusal of one probe becomes known with the next. */
const FIRST_PROBE_MS = 50;
const LONGEST_PROBE_MS = 5000;

/**
 * Call when a client has ended its side of the connection before its response has ended. It may read on, or have left:
 * the two look the same until something is written, which the system of a client that has left refuses. What is written
 * means nothing to a client that reads on: in a stream that has begun, or `100 Continue` before other responses.
 * HTTP/1.0 has neither, and proxies that speak it leave in this way, so a call of theirs that is not quick ends.
 */
function probeHalfClosed(response: ServerResponse): void {
  let delayMs = FIRST_PROBE_MS;
  const probe = hostWheel.add(() => {
    if (writeProbe(response)) probe.set(delayMs);
    delayMs = Math.min(delayMs * 2, LONGEST_PROBE_MS);
  });
  response.once('close', () => probe.clear());
  // A stream has keep-alive comments anyway.
  if (response.headersSent) writeProbe(response);
  probe.set(FIRST_PROBE_MS);
}

/** What means nothing between the parts of a stream: a comment, and white space before a line of JSON. */
const NOTHINGS: readonly (readonly [type: RegExp, nothing: string])[] = [
  [/^content-type: text\/event-stream/im, ':\n\n'],
  [/^content-type: application\/x-ndjson/im, ' '],
];

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
  const nothing = NOTHINGS.find(([type]) => type.test(head))?.[1];
  if (nothing !== undefined && response.writableLength === 0) response.write(nothing);
  return nothing !== undefined;
}
