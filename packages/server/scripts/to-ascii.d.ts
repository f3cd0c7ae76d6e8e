/** Escapes what is not ASCII in code without comments. Throws where a character stands outside of a literal. */
export function toAscii(code: string): string;
