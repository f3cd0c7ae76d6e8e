import type { Platform } from '../foundation/platform.ts';
import type { SharedEntries } from '../stores/store.ts';
import { dropOldest, type Session, SESSION_LIFETIME_S, type SessionKeep, TOKEN_LIFETIME_MS } from './session-keep.ts';

type KeepPlatform = Pick<Platform, 'monotonicNow' | 'setTimer' | 'sha256' | 'isPerRequest'>;

/** A session that was found; what ends elsewhere is believed for this long. */
const BELIEVED_MS = 250;
/** While the store is away, a session that it had lately still holds: no sign-out can have happened there. */
const BELIEVED_WITHOUT_STORE_MS = 5 * 60_000;
const MAX_BELIEVED = 1000;
const RETRY_MS = 2000;

interface Belief {
  readonly session: Session;
  readonly seenAt: number;
}

/**
 * Keeps them where every process at the store finds them, by the hash of their secrets: who can read the store cannot
 * sign in with what is there. Requests ask the store for a session at most four times a second.
 */
export function createSharedKeep(entries: SharedEntries, platform: KeepPlatform): SessionKeep {
  const believed = new Map<string, Belief>();
  const asking = new Map<string, Promise<Session | undefined>>();
  /** How many sessions have been ended here: what was asked before such an end may tell of what there is no more. */
  let ended = 0;
  /** Tokens on their way to the store. */
  const storing = new Map<string, Promise<void>>();

  const believe = (session: Session): void => {
    believed.delete(session.secret);
    believed.set(session.secret, { session, seenAt: platform.monotonicNow() });
    dropOldest(believed, MAX_BELIEVED);
  };

  const ask = async (secret: string): Promise<Session | undefined> => {
    const id = await sessionId(secret, platform);
    const endedBefore = ended;
    let text: string | undefined;
    try {
      text = await entries.get(id);
    } catch (error) {
      const known = believed.get(secret);
      if (known !== undefined && isWithin(known, BELIEVED_WITHOUT_STORE_MS, platform)) return known.session;
      throw error;
    }
    if (text === undefined) return void believed.delete(secret);
    const session: Session = { ...(JSON.parse(text) as Omit<Session, 'secret'>), secret };
    if (ended === endedBefore) believe(session);
    return session;
  };

  // A token is there from the moment its link is shown; a store that is away only delays that.
  const store = async (token: string, giveUpAt: number): Promise<void> => {
    while (platform.monotonicNow() < giveUpAt) {
      try {
        return await entries.put(await tokenId(token, platform), '1', giveUpAt - platform.monotonicNow());
      } catch {
        await new Promise<void>((resolve) => platform.setTimer(resolve, RETRY_MS));
      }
    }
  };

  return {
    putToken(token) {
      const stored = store(token, platform.monotonicNow() + TOKEN_LIFETIME_MS);
      storing.set(token, stored);
      void stored.then(() => storing.delete(token));
    },
    async takeToken(token) {
      const id = await tokenId(token, platform);
      if ((await entries.take(id)) === undefined) {
        const stored = storing.get(token);
        if (stored === undefined) return false;
        await stored;
        if ((await entries.take(id)) === undefined) return false;
      }
      // A token whose storing was repeated, because the response to it was lost, may be there again.
      return (await entries.claim(`used-${id}`, '1', TOKEN_LIFETIME_MS)) === undefined;
    },
    async put(session) {
      const { secret, ...rest } = session;
      await entries.put(await sessionId(secret, platform), JSON.stringify(rest), SESSION_LIFETIME_S * 1000);
      believe(session);
    },
    async get(secret) {
      const known = believed.get(secret);
      if (known !== undefined && isWithin(known, BELIEVED_MS, platform)) return known.session;
      // A page asks for much at once; where promises belong to requests, each asks by itself.
      if (platform.isPerRequest === true) return ask(secret);
      const asked = asking.get(secret) ?? ask(secret).finally(() => asking.delete(secret));
      asking.set(secret, asked);
      return asked;
    },
    async remove(secret) {
      await entries.take(await sessionId(secret, platform));
      ended += 1;
      believed.delete(secret);
    },
  };
}

const isWithin = ({ seenAt }: Belief, ms: number, { monotonicNow }: KeepPlatform): boolean =>
  monotonicNow() - seenAt < ms;

const sessionId = async (secret: string, platform: KeepPlatform): Promise<string> =>
  `session:${await platform.sha256(secret)}`;

const tokenId = async (token: string, platform: KeepPlatform): Promise<string> =>
  `sign-in:${await platform.sha256(token)}`;
