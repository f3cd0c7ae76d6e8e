/*
 * What a sealed text is bound to, so that it opens in the row alone that it was sealed for.
 */

/** Binds a sealed text to its provider. */
export const providerContextOf = (slug: string): string => `provider:${slug}`;

/** Binds the sealed key of a caller to its row. */
export const byokContextOf = (id: string): string => `byok:${id}`;

/** Binds the sealed password to its server by the id: another server does not get it. */
export const mailContextOf = (id: string): string => `mail:${id}`;
