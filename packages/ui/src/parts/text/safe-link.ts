/** An address that may be offered to a person: https, with a host, and nothing that disguises it. Null for all others. */
export function toSafeLink(href: unknown): URL | null {
  if (typeof href !== 'string') return null;
  let url: URL;
  try {
    url = new URL(href.trim());
  } catch {
    return null;
  }
  // `https://bank.example@evil.example` looks like the one and leads to the other.
  const isPlain = url.protocol === 'https:' && url.hostname !== '' && url.username === '' && url.password === '';
  return isPlain ? url : null;
}
