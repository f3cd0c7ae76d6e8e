/**
 * Characters that change how the text around them is read without being seen: marks of direction, zero width, and the
 * controls of terminals. Line ends and tabs are left alone.
 */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/** Makes hidden characters visible, as `‹U+202E›`; the joiner within an emoji stays. */
export function showControls(text: string): string {
  return text.replace(HIDDEN, (character, at: number) =>
    character === '\u200d' && /\p{Extended_Pictographic}\ufe0f?$/u.test(text.slice(Math.max(0, at - 3), at))
      ? character
      : `‹U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}›`,
  );
}
