import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

import { clearTimeout, setTimeout } from '../node-timers.ts';
import { probeHalfClosed } from './probe-half-closed.ts';

export interface TrackedConnections {
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
