import type { Transport, TransportRequest, WholeResponse } from './transport.ts';
import { readBytes, readErrorBytes } from './read-text.ts';

/** Sends a request and waits for all of the answer, in the way that costs the transport least. Throws as it does. */
export function sendWhole(transport: Transport, request: TransportRequest): Promise<WholeResponse> {
  return transport.sendWhole?.(request) ?? sendAndRead(transport, request);
}

async function sendAndRead(transport: Transport, request: TransportRequest): Promise<WholeResponse> {
  const { status, headers, body } = await transport.send(request);
  return { status, headers, bytes: status === 200 ? await readBytes(body) : await readErrorBytes(body) };
}
