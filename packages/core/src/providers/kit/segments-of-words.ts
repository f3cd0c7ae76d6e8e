import type { TranscribedSegment, TranscribedWord } from '../../wire/transcribed-parts.ts';

/** A silence of so many seconds ends what belongs together. */
const LONG_PAUSE = 1;
/** Two lines of subtitles. */
const MOST_CHARACTERS = 84;
const END_OF_SENTENCE = /[.!?…。！？]["'”’»)]*$/;

/**
 * Makes segments of words, for an upstream that tells the times of words alone: sentences, cut where somebody pauses and
 * where they are too long for a subtitle.
 *
 * @param space Stands between two words: nothing, in languages without spaces.
 */
export function segmentsOfWords(words: readonly TranscribedWord[], space: '' | ' ' = ' '): TranscribedSegment[] {
  const segments: TranscribedSegment[] = [];
  let last: TranscribedSegment | undefined;
  for (const { word, start, end } of words) {
    const isNext =
      last !== undefined &&
      !END_OF_SENTENCE.test(last.text) &&
      start - last.end < LONG_PAUSE &&
      last.text.length + space.length + word.length <= MOST_CHARACTERS;
    if (isNext && last !== undefined) {
      last.text += space + word;
      last.end = end;
    } else segments.push((last = { id: segments.length, start, end, text: word }));
  }
  return segments;
}
