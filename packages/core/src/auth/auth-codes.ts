import { createRandomId, type Platform } from '../foundation/platform.ts';
import type { SharedEntries } from '../stores/store.ts';
import { dropOldest } from './session-keep.ts';

/** What an administrator has agreed to: the key that whoever brings the code is to get, and how it has to be proved. */
export interface AuthGrant {
  readonly name: string;
  readonly limitUsd: number | null;
  readonly limitReset: 'daily' | 'weekly' | 'monthly' | null;
  readonly expiresAt: string | null;
  readonly workspaceId: string;
  readonly userId: string | null;
  /** Null where the app has sent none: then the code alone proves it. */
  readonly challenge: CodeChallenge | null;
  /** Hash of the stored management key that agreed, which must still be valid; null for any other sign-in. */
  readonly agreedBy: string | null;
  /**
   * The member who was signed in to the gateway itself and agreed, who must still be able to make the key; null for any other sign-in, and
   * absent in a code that an older process issued.
   */
  readonly memberId?: string | null;
}

/** What a verifier is checked against (RFC 7636). */
export interface CodeChallenge {
  readonly method: 'S256' | 'plain';
  readonly text: string;
}

/** Codes that apps exchange for keys: each once, within ten minutes. They are held by their hashes. */
export interface AuthCodes {
  issue(grant: AuthGrant): Promise<string>;
  /** The grant of a code; undefined where it was spent, is too old, or never was. */
  find(code: string): Promise<AuthGrant | undefined>;
  /** Spends the code. Of several that do it at once, in any process, one gets true. */
  spend(code: string): Promise<boolean>;
}

const LIFETIME_MS = 10 * 60 * 1000;
const MAX_CODES = 1000;
/** What a code looks like, so that nothing else is looked up. */
const CODE = /^[0-9a-f]{64}$/;

/** Creates the codes: of this process, which a restart ends, or of all that share entries. */
export function createAuthCodes(
  platform: Pick<Platform, 'monotonicNow' | 'randomBytes' | 'sha256'>,
  entries: Pick<SharedEntries, 'get' | 'put' | 'take'> = createMemoryEntries(platform),
): AuthCodes {
  const idOf = async (code: string): Promise<string> => `auth-code:${await platform.sha256(code)}`;
  return {
    async issue(grant) {
      const code = createRandomId(platform) + createRandomId(platform);
      await entries.put(await idOf(code), JSON.stringify(grant), LIFETIME_MS);
      return code;
    },
    async find(code) {
      const text = CODE.test(code) ? await entries.get(await idOf(code)) : undefined;
      return text === undefined ? undefined : (JSON.parse(text) as AuthGrant);
    },
    spend: async (code) => CODE.test(code) && (await entries.take(await idOf(code))) !== undefined,
  };
}

/** Entries of this process alone, where no processes share any. Bounded: the oldest is removed first. */
export function createMemoryEntries({
  monotonicNow,
}: Pick<Platform, 'monotonicNow'>): Pick<SharedEntries, 'get' | 'put' | 'claim' | 'take'> {
  const held = new Map<string, { readonly value: string; readonly endsAt: number }>();
  const find = (id: string): string | undefined => {
    const found = held.get(id);
    return found !== undefined && found.endsAt > monotonicNow() ? found.value : undefined;
  };
  return {
    get: async (id: string) => find(id),
    async put(id: string, value: string, ttlMs: number) {
      held.set(id, { value, endsAt: monotonicNow() + ttlMs });
      dropOldest(held, MAX_CODES);
    },
    async claim(id, value, ttlMs) {
      const found = find(id);
      if (found === undefined) await this.put(id, value, ttlMs);
      return found;
    },
    async take(id: string) {
      const found = find(id);
      held.delete(id);
      return found;
    },
  };
}

/** Whether a verifier belongs to a challenge. Takes as long however much of it is right. */
export async function isVerified(
  verifier: string,
  { method, text }: CodeChallenge,
  platform: Pick<Platform, 'sha256'>,
): Promise<boolean> {
  return isSameText(method === 'plain' ? verifier : toBase64Url(await platform.sha256(verifier)), text);
}

function isSameText(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < other.length; at += 1) difference |= (one.charCodeAt(at) || 0) ^ other.charCodeAt(at);
  return difference === 0;
}

function toBase64Url(hex: string): string {
  const bytes = hex.match(/../g) ?? [];
  const text = btoa(String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16))));
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
