const encoder = new TextEncoder();

/** The same for the same user, without identifying the person, as Anthropic requires; wire.md 6.1 forbids the name. */
export async function toOpaqueUserId(providerSlug: string, user: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(`${providerSlug}\n${user}`));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
