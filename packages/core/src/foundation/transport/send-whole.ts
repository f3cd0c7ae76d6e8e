import { readBytes, readErrorBytes } from './read-text.ts';
import type { Transport, TransportRequest, WholeResponse } from './transport.ts';

/** Waits for the whole response in the transport's cheapest way, and throws its errors (docs/decisions/0016). */
export function sendWhole(transport: Transport, request: TransportRequest): Promise<WholeResponse> {
  return transport.sendWhole?.(request) ?? sendAndRead(transport, request);
}

async function sendAndRead(transport: Transport, request: TransportRequest): Promise<WholeResponse> {
  const { status, headers, body } = await transport.send(request);
  return { status, headers, bytes: status === 200 ? await readBytes(body) : await readErrorBytes(body) };
}
