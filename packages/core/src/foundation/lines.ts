/** Maximum length of one line: no model takes a longer request. */
const MAX_LINE_CHARACTERS = 32 * 1024 * 1024;

/** Yields the lines of a text that are not blank, with their numbers from 1. Throws `RangeError` for one that is too long. */
export async function* readLines(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly number: number; readonly text: string }> {
  const decoder = new TextDecoder();
  let held = '';
  let number = 0;
  for await (const piece of pieces) {
    const lines = (held + decoder.decode(piece, { stream: true })).split('\n');
    held = lines.pop() ?? '';
    if (held.length > MAX_LINE_CHARACTERS) throw new RangeError(`Line ${number + lines.length + 1} is too long`);
    for (const text of lines) {
      number += 1;
      if (text.trim() !== '') yield { number, text };
    }
  }
  held += decoder.decode();
  if (held.trim() !== '') yield { number: number + 1, text: held };
}
