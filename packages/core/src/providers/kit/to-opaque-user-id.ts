const encoder = new TextEncoder();

/**
 * Converts a caller's `user` to the form that upstream receives: the same for the same user, without identifying the
 * person. Anthropic and OpenAI ask for exactly that; wire.md 6.1 forbids the name itself.
 */
export async function toOpaqueUserId(providerSlug: string, user: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(`${providerSlug}\n${user}`));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
