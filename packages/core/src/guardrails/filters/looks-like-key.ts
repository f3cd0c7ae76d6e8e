/**
 * Whether a long text without a blank is a key, a token or a hash rather than a word, a path or a name: whether its
 * letters and digits stand in no order.
 */

/** The letters that follow each letter in words and in names of programs: 97 % of their pairs. */
const FOLLOWERS: ReadonlyMap<string, string> = new Map(
  (
    'a:bcdgiklmnprstuvwxy b:aejlouy c:aehiklort d:adeioprsy e:acdefgilmnopqrstvwxy f:aeiortu g:aeinrstu h:aeior ' +
    'i:cdefglmnoprstv j:eos k:eins l:adeilostuy m:abeiops n:acdefgiklnostu o:bcdfgiklmnoprstuvw p:aeiloprstu q:u ' +
    'r:acdeiklmnorstuvy s:acehiklopstuy t:acehioprstuy u:adelmnprst v:aei w:aehinos x:pt y:nps'
  )
    .split(' ')
    .map((entry): [string, string] => [entry.charAt(0), entry.slice(2)]),
);

const SEPARATORS = /[-/._+=]/g;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Some have hardly a letter. */
const HEX = /^(?=.*[a-f])[\da-f]{32,}$/i;
/** In words that are cut at their capitals. */
const WORDS = /[A-Z]?[a-z]+|[A-Z]+/g;
/** A shorter text says too little of the order of its letters. */
const MIN_LENGTH = 20;
const MIN_PAIRS = 6;

/** A UUID says nothing of itself: most name a thing, and some open it. */
export function looksLikeKey(text: string): boolean {
  if (UUID.test(text)) return false;
  const joined = text.replaceAll(SEPARATORS, '');
  return text.split(SEPARATORS).some(isMixed) || (joined.length >= MIN_LENGTH && isWithoutWords(text, joined));
}

/** Words, paths and versions have few changes between letters and digits, names of programs few capitals. */
const isMixed = (part: string): boolean =>
  HEX.test(part) ||
  (part.length >= 16 &&
    changesOf(part) >= part.length / (/\d/.test(part) ? 6 : 4.2) &&
    pairsOf(part).common < part.length * 0.45);

/** How often a letter follows a digit, a digit a letter, or a capital a small letter. */
const changesOf = (part: string): number =>
  (part.match(/(?<=\d)[A-Za-z]|(?<=[A-Za-z])\d|(?<=[a-z])[A-Z]/g) ?? []).length;

/** The separators of a path stand between words and numbers; those of a random text stand anywhere. */
function isWithoutWords(text: string, joined: string): boolean {
  const changes = text.split(SEPARATORS).reduce((sum, part) => sum + changesOf(part), 0);
  if (changes < joined.length / 12) return false;
  const { pairs, common } = pairsOf(text);
  return pairs >= MIN_PAIRS && common < pairs * 0.67;
}

/** The pairs of letters within words, and how many of them words have often. */
function pairsOf(text: string): { readonly pairs: number; readonly common: number } {
  let pairs = 0;
  let common = 0;
  for (const [word] of text.matchAll(WORDS)) {
    const letters = word.toLowerCase();
    for (let at = 1; at < letters.length; at += 1) {
      pairs += 1;
      if (FOLLOWERS.get(letters.charAt(at - 1))?.includes(letters.charAt(at)) === true) common += 1;
    }
  }
  return { pairs, common };
}
