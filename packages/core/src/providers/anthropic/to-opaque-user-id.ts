const encoder = new TextEncoder();

/**
 * The form in which upstream learns of a caller's `user`: the same for the same one, and without telling who it is.
 * Anthropic asks for exactly that; wire.md 6.1 forbids the name itself.
 */
export async function toOpaqueUserId(providerSlug: string, user: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(`${providerSlug}\n${user}`));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
