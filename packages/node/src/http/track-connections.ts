import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

export interface TrackedConnections {
  /** Call for every request that a response is made for. */
  noteRequest(request: IncomingMessage, response: ServerResponse): void;
  /**
   * Takes no more connections, closes idle ones, and each of the others after its last answer. Resolves when all have
   * gone; after `drainMs` they are cut.
   */
  close(drainMs: number): Promise<void>;
}

/**
 * Follows a server's connections so that it can be closed without loss. Node's own `close()` cuts answers that have
 * been ended but not yet been sent whole, and leaves connections open whose answer ends later.
 */
export function trackConnections(server: Server): TrackedConnections {
  const sockets = new Set<Socket>();
  const answering = new Set<ServerResponse>();
  let isClosing = false;

  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  return {
    noteRequest(request, response) {
      answering.add(response);
      if (isClosing) response.shouldKeepAlive = false;
      response.once('close', () => {
        answering.delete(response);
        if (isClosing) request.socket.destroySoon();
      });
    },
    close(drainMs) {
      isClosing = true;
      const busy = new Set<Socket>();
      for (const response of answering) {
        busy.add(response.req.socket);
        if (!response.headersSent) response.shouldKeepAlive = false;
      }
      return new Promise((resolve) => {
        const cut = setTimeout(() => {
          for (const socket of sockets) socket.destroy();
        }, drainMs);
        NetServer.prototype.close.call(server, () => {
          clearTimeout(cut);
          // Nothing is left to be cut; this lets go of the timer that looks for slow requests.
          server.close(() => resolve());
        });
        for (const socket of sockets) if (!busy.has(socket)) socket.destroy();
      });
    },
  };
}
