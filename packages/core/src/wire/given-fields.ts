/** The fields of a change that are present: absent ones must not overwrite anything. */
export function givenFields<Change extends object>(
  change: Change,
): { [Name in keyof Change]?: Exclude<Change[Name], undefined> } {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Name in keyof Change]?: Exclude<Change[Name], undefined> };
}
