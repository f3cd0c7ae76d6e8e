/** Parses what upstream sent; undefined when it is no JSON, as a proxy's page or half a body is not. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
