import { joinPieces, toText } from '../foundation/transport.ts';
import type { GatewayResponse } from '../http/response.ts';
import type { WrittenVectors } from '../providers/written-embeddings.ts';

/** A short response is a text, which hosts write at once with its headers. */
const MAX_TEXT_BYTES = 16 * 1024;

const encoder = new TextEncoder();

/**
 * A response with status 200 whose vectors pass as upstream wrote them, between the fields of `head` and those of `tail`.
 * Neither may be empty. The bytes of the vectors are not copied, unless they are few.
 */
export function toWrittenResponse(
  head: object,
  { pieces }: WrittenVectors,
  tail: object,
  responseHeaders: Readonly<Record<string, string>>,
): GatewayResponse {
  const before = `${JSON.stringify(head).slice(0, -1)},"data":`;
  const behind = `,${JSON.stringify(tail).slice(1)}`;
  const headers = { ...responseHeaders, 'content-type': 'application/json' };
  const body = [encoder.encode(before), ...pieces, encoder.encode(behind)];
  const length = body.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return length <= MAX_TEXT_BYTES
    ? { status: 200, headers, body: toText(joinPieces(body)) }
    : { status: 200, headers: { ...headers, 'content-length': String(length) }, body: yieldEach(body) };
}

async function* yieldEach(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
