import type { ModelCall } from '../calls/model-call.ts';
import type { CallPreferences } from '../calls/preferences.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { hasCheaperCachedReads } from '../catalog/endpoint-price.ts';

/**
 * What keeps calls together on one endpoint: the session, else the caller's key of the prompt's cache, else the opening
 * of the conversation, the last only among endpoints of which one reads from its cache for less. Null when nothing does.
 * Keys of different callers have nothing to do with each other.
 */
export function stickyKeyOf(
  { principal, session }: ModelCall,
  { cacheKey, openingOf }: CallPreferences,
  among: readonly Endpoint[],
): string | null {
  // Without a conversation there is no cache of its prompt to come back to.
  if (openingOf === undefined) return null;
  if (session !== null) return `${principal.id}\nsession\n${session}`;
  if (cacheKey) return `${principal.id}\ncache\n${cacheKey}`;
  if (!among.some(hasCheaperCachedReads)) return null;
  return `${principal.id}\nopening\n${openingOf()}`;
}
