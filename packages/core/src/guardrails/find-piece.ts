/** Returns the piece that this offset is in; `at` is where a piece begins, in ascending order. */
export function findPiece<Piece extends { readonly at: number }>(pieces: readonly Piece[], offset: number): Piece {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((pieces[middle] as Piece).at <= offset) low = middle;
    else high = middle - 1;
  }
  return pieces[low] as Piece;
}
