import { sendWhole, type Transport } from '@model-gateway/core';

export interface LazyTransport extends Required<Transport> {
  /** Loads the transport before the first call. */
  preload(): void;
  /** Closes the transport if it was loaded. */
  close(): Promise<void>;
}

/**
 * Delays loading a transport until after the start: undici takes a sixth of the time of a start, and listening does not
 * need it. A call before then waits for it.
 */
export function createLazyTransport(load: () => Promise<Transport & { close(): Promise<void> }>): LazyTransport {
  let loading: ReturnType<typeof load> | undefined;
  let loaded: Transport | undefined;
  const get = async (): ReturnType<typeof load> => (loaded = await (loading ??= load()));
  return {
    send: (request) =>
      loaded === undefined ? get().then((transport) => transport.send(request)) : loaded.send(request),
    sendWhole: (request) =>
      loaded === undefined ? get().then((transport) => sendWhole(transport, request)) : sendWhole(loaded, request),
    preload() {
      // `send` fails with the same error, which its caller can report.
      get().catch(() => undefined);
    },
    async close() {
      await loading?.then((transport) => transport.close());
    },
  };
}
