/** Encodes a text for callers as a value that says nothing to them, and fits into an address. */
export const encodeCursor = (text: string): string =>
  btoa(encodeURIComponent(text)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

/** The text in such a value. Throws for what is none. */
export const decodeCursor = (cursor: string): string =>
  decodeURIComponent(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')));
