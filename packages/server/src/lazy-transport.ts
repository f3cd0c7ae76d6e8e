import { sendWhole, type Transport } from '@model-gateway/core';

export interface LazyTransport extends Required<Transport> {
  /** Loads it ahead of the first call. */
  preload(): void;
  /** Closes it if it was ever loaded. */
  close(): Promise<void>;
}

/**
 * Puts off loading a transport, which for undici is a sixth of the time that a start takes and is not needed to
 * listen. A call that comes first waits for it.
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
      // `send` fails with the same error, and its caller can report it.
      get().catch(() => undefined);
    },
    async close() {
      await loading?.then((transport) => transport.close());
    },
  };
}
