import type { Transport, TransportRequest, WholeResponse } from './transport.ts';
import { readBytes, readErrorBytes } from './read-text.ts';

/**
 * Sends a request and waits for the whole response, in the way that is cheapest for the transport. Throws the same
 * errors as the transport (docs/decisions/0016).
 */
export function sendWhole(transport: Transport, request: TransportRequest): Promise<WholeResponse> {
  return transport.sendWhole?.(request) ?? sendAndRead(transport, request);
}

async function sendAndRead(transport: Transport, request: TransportRequest): Promise<WholeResponse> {
  const { status, headers, body } = await transport.send(request);
  return { status, headers, bytes: status === 200 ? await readBytes(body) : await readErrorBytes(body) };
}
