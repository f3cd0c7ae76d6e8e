import type { ModelCall } from '../../calls/model-call.ts';
import type { CallPreferences } from '../../calls/preferences.ts';
import { type Endpoint, hasCheaperCachedReads } from '../../catalog/catalog.ts';

/**
 * The key that leads related calls to the same endpoint (docs/decisions/0010): the session, else the caller's key of
 * the prompt cache, else the opening of the conversation, the last only among endpoints of which one has a lower price
 * for cached prompts. Null without any of them. Keys of different callers are independent.
 */
export function stickyKeyOf(
  { principal, session }: ModelCall,
  { cacheKey, openingOf }: CallPreferences,
  among: readonly Endpoint[],
): string | null {
  // Without a conversation there is no cached prompt.
  if (openingOf === undefined) return null;
  if (session !== null) return `${principal.id}\nsession\n${session}`;
  if (cacheKey) return `${principal.id}\ncache\n${cacheKey}`;
  if (!among.some(hasCheaperCachedReads)) return null;
  return `${principal.id}\nopening\n${openingOf()}`;
}
