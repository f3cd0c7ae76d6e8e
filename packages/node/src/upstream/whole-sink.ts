import { TransportError, type WholeResponse } from '@model-gateway/core';

import { atEndOfTurn } from '../at-end-of-turn.ts';
import { decodeBeginning, decodeWhole } from './decode-body.ts';
import type { ResponseSink, UpstreamExchange } from './upstream-exchange.ts';

/** The most bytes that are read of an error, because no code uses more; a proxy's page may be longer. */
const MAX_ERROR_BYTES = 64 * 1024;

/** Collects a response and passes it on, decoded, when it is complete. A class for the same reason as the exchange. */
export class WholeSink implements ResponseSink {
  private readonly maxBytes: number;
  private readonly resolve: (response: WholeResponse | Promise<WholeResponse>) => void;
  private readonly reject: (error: Error) => void;
  private status = 0;
  private headers: Record<string, string> = {};
  private readonly pieces: Uint8Array[] = [];
  private length = 0;

  constructor(
    maxBytes: number,
    resolve: (response: WholeResponse | Promise<WholeResponse>) => void,
    reject: (error: Error) => void,
  ) {
    this.maxBytes = maxBytes;
    this.resolve = resolve;
    this.reject = reject;
  }

  begin(_: UpstreamExchange, status: number, headers: Record<string, string>): void {
    this.status = status;
    this.headers = headers;
  }

  push(exchange: UpstreamExchange, bytes: Uint8Array): void {
    this.length += bytes.byteLength;
    const isError = this.status !== 200;
    if (this.length <= (isError ? MAX_ERROR_BYTES : this.maxBytes)) return void this.pieces.push(bytes);
    if (isError) this.end(undefined);
    exchange.giveUp(new TransportError('the answer is larger than allowed', { phase: 'body', requestSent: true }));
  }

  end(error: Error | undefined): void {
    const { status, headers, pieces } = this;
    // An error response whose text was cut short keeps its status.
    if (error !== undefined && (status === 0 || status === 200)) return this.reject(error);
    const bytes = pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
    const encoding = headers['content-encoding'];
    if (encoding === undefined) return atEndOfTurn(() => this.resolve({ status, headers, bytes }));
    const decoded =
      status === 200 ? decodeWhole(bytes, encoding, this.maxBytes) : decodeBeginning(bytes, encoding, MAX_ERROR_BYTES);
    this.resolve(decoded.then((whole) => ({ status, headers, bytes: whole })));
  }
}
