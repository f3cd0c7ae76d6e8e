/** Reads texts of these names from the search of an address; what is empty, or no text, is left out. */
export function readTexts<Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): { [Each in Name]?: string } {
  const found: { [Each in Name]?: string } = {};
  for (const name of names) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') found[name] = value;
  }
  return found;
}
