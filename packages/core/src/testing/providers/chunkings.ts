const encoder = new TextEncoder();

/** The three ways in which every stream is read. */
export function toChunkings(events: readonly string[]): readonly (readonly [name: string, pieces: Uint8Array[]])[] {
  const all = encoder.encode(events.join(''));
  return [
    ['an event a piece', events.map((event) => encoder.encode(event))],
    ['byte by byte', Array.from(all, (byte) => Uint8Array.of(byte))],
    ['all at once', [all]],
  ];
}
