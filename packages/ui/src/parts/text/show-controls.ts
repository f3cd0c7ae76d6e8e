/**
 * Unseen characters that change how text is read: direction marks, zero width, fillers, tags and selectors that carry
 * bytes, controls of terminals, half characters. Not line ends and tabs. A flag, made of tags, is found whole.
 */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- they are what is looked for
  /\u{1f3f4}[\u{e0030}-\u{e007a}]{3,6}\u{e007f}|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Makes hidden characters visible, as `‹U+202E›`; what an emoji is made of stays. */
export function showControls(text: string): string {
  return text.replace(HIDDEN, (found, at: number) =>
    isPartOfEmoji(found, text.slice(Math.max(0, at - 5), at))
      ? found
      : `‹U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`,
  );
}

function isPartOfEmoji(found: string, before: string): boolean {
  if (found.startsWith('\u{1f3f4}')) return true;
  if (found === '\u200d') return /\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?$/u.test(before);
  return /[\ufe0e\ufe0f]/.test(found) && /\p{Emoji}$/u.test(before);
}
