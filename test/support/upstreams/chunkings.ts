const encoder = new TextEncoder();

export type Chunking = readonly [name: string, pieces: readonly Uint8Array[]];

/** The three ways in which every stream is tested. `pieces` is how it was recorded. */
export function chunkings(pieces: readonly (string | Uint8Array)[]): readonly Chunking[] {
  const recorded = pieces.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece));
  const whole = concat(recorded);
  return [
    ['as recorded', recorded],
    ['byte by byte', Array.from(whole, (byte) => Uint8Array.of(byte))],
    ['all at once', [whole]],
  ];
}

/** Wraps payloads as server-sent events, a piece each, and closes with `[DONE]`. */
export function toEventPieces(payloads: readonly (string | object)[]): string[] {
  return [...payloads.map(toEvent), 'data: [DONE]\n\n'];
}

/** One payload as one server-sent event. */
export function toEvent(payload: string | object): string {
  return `data: ${typeof payload === 'string' ? payload : JSON.stringify(payload)}\n\n`;
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
