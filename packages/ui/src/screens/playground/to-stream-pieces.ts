const MIN_CHARACTERS = 400;

/**
 * Cuts a text that grows at line ends, each piece but the last a block of its own without its line end. However much is
 * added, the pieces before the last stay the same.
 */
export function toStreamPieces(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  for (;;) {
    const end = text.indexOf('\n', start + MIN_CHARACTERS);
    // A line end that nothing follows would be a block without height.
    if (end === -1 || end === text.length - 1) break;
    pieces.push(text.slice(start, end));
    start = end + 1;
  }
  pieces.push(text.slice(start));
  return pieces;
}
