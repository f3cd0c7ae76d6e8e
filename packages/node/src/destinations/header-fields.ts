/** Headers of the connection, which a configuration must not set. */
const NOT_TO_BE_SET: ReadonlySet<string> = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

/** The headers of a format, overridden by those of the configuration; names in lower case. */
export function mergeHeaders(
  own: Readonly<Record<string, string>>,
  configured: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  const merged: Record<string, string> = { ...own };
  for (const [name, value] of Object.entries(configured ?? {})) {
    const lowerCase = name.toLowerCase();
    if (!NOT_TO_BE_SET.has(lowerCase)) merged[lowerCase] = value;
  }
  return merged;
}
