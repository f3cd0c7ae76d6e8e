import type { CallPreferences } from '../../calls/call-kind.ts';
import type { ModelCall } from '../../calls/model-call.ts';
import { type Endpoint, hasCheaperCachedReads } from '../../catalog/catalog.ts';

/**
 * Leads related calls to one endpoint (docs/decisions/0010), separately for each caller: the session, else the prompt
 * cache key, else the conversation's opening where an endpoint has a lower price for cached prompts. Null for none.
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
