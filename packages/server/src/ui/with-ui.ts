import { type Gateway, type GatewayRequest, type GatewayResponse, type Logger, NO_SNIFFING } from '@model-gateway/core';

/** Adds the web UI below `/ui` to a gateway. Its code is loaded at the first request for it. */
export function withUi(gateway: Gateway, logger: Pick<Logger, 'error'>): Gateway {
  return {
    ...gateway,
    // Not an async function, because every call passes through it.
    handle: (request) =>
      request.path === '/ui' || request.path.startsWith('/ui/')
        ? loadAndServeUi(request, logger)
        : gateway.handle(request),
  };
}

async function loadAndServeUi(request: GatewayRequest, logger: Pick<Logger, 'error'>): Promise<GatewayResponse> {
  try {
    const [{ uiDirectory }, { serveUi }] = await Promise.all([import('@model-gateway/ui'), import('./serve-ui.ts')]);
    return await serveUi(request, uiDirectory);
  } catch (error) {
    logger.error('the web UI could not be served; is it built?', { error });
    const headers = { ...NO_SNIFFING, 'content-type': 'text/plain; charset=utf-8' };
    return { status: 503, headers, body: 'The web UI is not there; the log says why.\n' };
  }
}
