import { isSignedInByHost, SCIM_PRINCIPAL } from '../auth/authenticate.ts';
import type { Session } from '../auth/session-keep.ts';
import type { Sessions } from '../auth/sessions.ts';
import type { Awaitable } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import { createRandomId, type Platform } from '../foundation/platform.ts';
import { firstValue, type GatewayRequest, type Principal } from '../http/request.ts';
import type { AuditEntry, AuditRecord, AuditRepository } from '../stores/audit.ts';
import { AUDIT_TARGETS, type AuditTargetKind } from '../wire/audit.ts';
import { toFingerprint, withoutKeys } from './redact.ts';

/** What is known of a request that is recorded. */
export interface AuditedRequest {
  readonly request: GatewayRequest;
  /** The action of its route; else the method and the path of one that only reads. */
  readonly action: string | null;
  readonly place: string;
  readonly params: Readonly<Record<string, string>>;
  readonly principal: Principal | undefined;
}

/** What an entry says beside who did it, and from where. */
export type AuditFacts = Pick<AuditEntry, 'action' | 'target'> &
  Partial<Pick<AuditEntry, 'before' | 'after' | 'outcome' | 'reason' | 'count'>>;

type Actor = AuditEntry['actor'];

/** The way of all that is done to the audit log. Absent where the store keeps none. */
export interface AuditTrail {
  readonly repository: AuditRepository;
  /** Rejects while the log cannot be written, so that nothing is changed which would not be recorded. At once where it can. */
  requireWritable(): Awaitable<void>;
  /** Resolves once it is durable. Rejects when it is not, and tries again soon, and with the next. */
  record(by: { readonly actor: Actor; readonly request: GatewayRequest }, facts: readonly AuditFacts[]): Promise<void>;
  actorOf(request: GatewayRequest, principal: Principal | undefined): Promise<Actor>;
  actorOfSession(session: Session): Promise<Actor>;
  /** Records a refusal: the first of its kind soon, those that are like it as one record with their number. */
  noteRefused(asked: AuditedRequest, error: GatewayError): void;
  /** Records that the provider of identity has ended a session, found by this request of it. */
  readonly noteEnded: (session: Session, request: GatewayRequest) => void;
  /** Resolves when the refusals so far are written, those still counted included. */
  settled(): Promise<void>;
  /** The same at the end, with what waits for the store; says in the log of the gateway what that did not take. */
  close(): Promise<void>;
}

/** Receives records once they are durable. */
export type AuditListener = (records: readonly AuditRecord[]) => Awaitable<void>;

interface AuditTrailOptions {
  readonly repository: AuditRepository;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly sessions: Pick<Sessions, 'find'> | null;
  /** Whether this is the key by which commands of this machine reach the gateway. */
  readonly isCommand: (keyHash: string) => Promise<boolean>;
  readonly onAudit?: AuditListener | undefined;
}

const MAX_AGENT = 200;
const MAX_ID = 300;
/** Entries that wait for a store that takes none. */
const MAX_UNWRITTEN = 1000;
/** They are tried again that often, beside each change, which waits for them. */
const RETRY_MS = 5000;
/** Records of other processes that may have come after those of a failed attempt. */
const MAX_BETWEEN = 1000;
const COUNTED_FOR_MS = 10 * 60 * 1000;
/** Kinds of refusals that are told apart in that time; the others are counted together. */
const MAX_KINDS = 100;

const UNKNOWN: Actor = { kind: 'unknown', id: null, name: null, member: null, key: null };

export function createAuditTrail(options: AuditTrailOptions): AuditTrail {
  const { repository, platform, logger, sessions, isCommand, onAudit } = options;
  let unwritten: readonly AuditEntry[] = [];
  const tell = async (records: readonly AuditRecord[]): Promise<void> => {
    try {
      await onAudit?.(records);
    } catch (error) {
      logger.error('a listener to the audit log failed', { reason: String(error) });
    }
  };

  /** What is in the log already: a store may fail after it has written, and then nobody knows. */
  const findWritten = async (entries: readonly AuditEntry[]): Promise<readonly AuditRecord[]> => {
    const ids = new Set(entries.map(({ id }) => id));
    const { records } = await repository.page({ filter: {}, limit: entries.length + MAX_BETWEEN });
    return records.filter(({ id }) => ids.has(id)).toReversed();
  };
  const append = async (
    waiting: readonly AuditEntry[],
    entries: readonly AuditEntry[],
  ): Promise<readonly AuditRecord[]> => {
    if (waiting.length === 0) return repository.append(entries);
    const written = await findWritten(waiting);
    const ids = new Set(written.map(({ id }) => id));
    const rest = [...waiting.filter(({ id }) => !ids.has(id)), ...entries];
    return rest.length === 0 ? written : [...written, ...(await repository.append(rest))];
  };
  const write = async (entries: readonly AuditEntry[]): Promise<void> => {
    const waiting = unwritten;
    const all = [...waiting, ...entries];
    if (all.length === 0) return;
    unwritten = [];
    let records: readonly AuditRecord[];
    try {
      records = await append(waiting, entries);
    } catch (error) {
      keepUnwritten([...all, ...unwritten]);
      throw error;
    }
    void tell(records);
  };
  const keepUnwritten = (entries: readonly AuditEntry[]): void => {
    for (const { action, target, actor, at } of entries.slice(0, -MAX_UNWRITTEN))
      logger.error('a record of the audit log is lost, as too many wait for the store', {
        at,
        action,
        target: target.id,
        actor: actor.id,
      });
    unwritten = entries.slice(-MAX_UNWRITTEN);
    retryLater();
  };
  let cancelRetry: (() => void) | undefined;
  /** What the timer writes still waits. */
  let retrying: Promise<void> | undefined;
  const retryLater = (): void => {
    if (platform.isPerRequest === true || cancelRetry !== undefined || isClosed) return;
    cancelRetry = platform.setTimer(() => {
      cancelRetry = undefined;
      // Where it fails, it has asked for the next try.
      retrying = write([])
        .catch(() => undefined)
        .then(() => {
          retrying = undefined;
        });
    }, RETRY_MS);
  };
  let isClosed = false;
  const toEntry = async (actor: Actor, request: GatewayRequest, facts: AuditFacts): Promise<AuditEntry> => {
    const { target } = facts;
    const clean = async (text: string | null): Promise<string | null> =>
      text === null ? null : withoutKeys(text.slice(0, MAX_ID), platform);
    return {
      id: `aud-${createRandomId(platform)}`,
      at: new Date(platform.now()).toISOString(),
      actor: { ...actor, name: await clean(actor.name), member: await clean(actor.member) },
      from: {
        address: request.remoteAddress ?? null,
        user_agent: await clean(firstValue(request.headers['user-agent'])?.slice(0, MAX_AGENT) ?? null),
      },
      before: null,
      after: null,
      outcome: 'done',
      reason: null,
      count: 1,
      ...facts,
      target: { ...target, id: await clean(target.id), name: await clean(target.name) },
    };
  };
  const actorOfSession = async ({ secret, keyHash, name, memberId }: Session): Promise<Actor> => ({
    kind: 'session',
    id: await toFingerprint(secret, platform),
    name,
    member: memberId ?? null,
    key: keyHash,
  });
  const actorOf = async (request: GatewayRequest, principal: Principal | undefined): Promise<Actor> => {
    if (principal === undefined) {
      const session = sessions === null ? undefined : await findSession(request, sessions);
      return session === undefined ? UNKNOWN : actorOfSession(session);
    }
    const { id, name, userId: member = null } = principal;
    if (principal === SCIM_PRINCIPAL) return { kind: 'scim', id: null, name, member, key: null };
    if (sessions === null || isSignedInByHost(request)) return { kind: 'host', id, name, member, key: null };
    const session = await findSession(request, sessions);
    if (session !== undefined) return { ...(await actorOfSession(session)), member };
    return { kind: (await isCommand(id)) ? 'cli' : 'key', id, name, member, key: id };
  };
  const toRefused = async (asked: AuditedRequest, reason: string, count: number): Promise<AuditEntry> => {
    const { request, principal } = asked;
    const facts = { ...toRefusal(asked), outcome: 'refused' as const, reason, count };
    return toEntry(await actorOf(request, principal), request, facts);
  };
  const writeRefused = async (entries: readonly AuditEntry[]): Promise<void> => {
    try {
      await write(entries);
    } catch (error) {
      logger.error('a refused request could not be written to the audit log', { reason: String(error) });
    }
  };
  // Where requests cannot share promises, each writes its own.
  const writeInOrder =
    platform.isPerRequest === true
      ? async (made: Promise<AuditEntry>) => writeRefused([await made])
      : createOrderedWriter(writeRefused);
  const refusals = createRefusalCount({
    platform,
    async write(asked, reason, count) {
      try {
        await writeInOrder(toRefused(asked, reason, count));
      } catch (error) {
        logger.error('who was refused could not be found out', { reason: String(error) });
      }
    },
  });
  let ending: Promise<void> = Promise.resolve();
  const recordEnd = async (session: Session, request: GatewayRequest): Promise<void> => {
    try {
      const actor = await actorOfSession(session);
      const target = { kind: 'session', id: actor.id, name: actor.name, workspace: null } as const;
      await write([await toEntry(actor, request, { action: 'session.delete', target, reason: 'authentication' })]);
    } catch (error) {
      logger.error('the end of a session could not be written to the audit log', { reason: String(error) });
    }
  };
  const settled = async (): Promise<void> => {
    await refusals.settled();
    await ending;
  };
  return {
    repository,
    actorOf,
    actorOfSession,
    requireWritable() {
      if (unwritten.length === 0 && retrying === undefined) return;
      return Promise.resolve(retrying)
        .then(() => write([]))
        .catch((cause: unknown) => {
          const message =
            'Nothing can be changed while the audit log cannot be written; look at the log of the gateway';
          throw new GatewayError('provider_overloaded', message, { cause });
        });
    },
    async record({ actor, request }, facts) {
      try {
        await write(await Promise.all(facts.map((each) => toEntry(actor, request, each))));
      } catch (cause) {
        logger.error('the audit log could not be written; it is tried again soon, and before the next change', {
          reason: String(cause),
        });
        const message =
          'The request was carried out, but could not be written to the audit log; look at what has changed before you repeat it';
        throw new GatewayError('provider_overloaded', message, { cause });
      }
    },
    noteRefused: refusals.note,
    noteEnded(session, request) {
      ending = Promise.all([ending, recordEnd(session, request)]).then(() => undefined);
    },
    settled,
    async close() {
      await settled();
      isClosed = true;
      cancelRetry?.();
      cancelRetry = undefined;
      await retrying;
      try {
        await write([]);
      } catch (error) {
        logger.error('records of the audit log are lost, as the store takes none', {
          count: unwritten.length,
          reason: String(error),
        });
      }
    },
  };
}

/** As `createAuthenticate` looks for a caller: keys come first. */
async function findSession(request: GatewayRequest, sessions: Pick<Sessions, 'find'>): Promise<Session | undefined> {
  const { headers } = request;
  const hasKey = headers['authorization'] !== undefined || headers['x-api-key'] !== undefined;
  return hasKey || headers['cookie'] === undefined ? undefined : sessions.find(request);
}

/** The kind of target that an action names. */
export function targetKindOf(action: string): AuditTargetKind {
  const [kind] = action.split('.');
  return AUDIT_TARGETS.find((each) => each === kind) ?? 'administration';
}

function toRefusal({ action, place, params, principal }: AuditedRequest): AuditFacts {
  const [id = null] = Object.values(params);
  const workspace = principal?.workspaceId ?? null;
  return action === null
    ? { action: 'administration.read', target: { kind: 'administration', id: place, name: null, workspace } }
    : { action, target: { kind: targetKindOf(action), id, name: null, workspace } };
}

/**
 * Returns a function that writes entries in the order of its calls, however long each takes to be made. Those that are
 * ready while others are written go together. `write` never rejects; the promises reject as the entries do.
 */
function createOrderedWriter(
  write: (entries: readonly AuditEntry[]) => Promise<void>,
): (made: Promise<AuditEntry>) => Promise<void> {
  let before: Promise<unknown> = Promise.resolve();
  let ready: AuditEntry[] = [];
  let writing: Promise<void> | undefined;
  const writeReady = async (): Promise<void> => {
    while (ready.length > 0) {
      const entries = ready;
      ready = [];
      await write(entries);
    }
    writing = undefined;
  };
  return async (made) => {
    const inTurn = Promise.all([made, before]);
    before = inTurn.catch(() => undefined);
    const [entry] = await inTurn;
    ready.push(entry);
    writing ??= writeReady();
    await writing;
  };
}

interface RefusalCountOptions {
  readonly platform: Platform;
  readonly write: (asked: AuditedRequest, reason: string, count: number) => Promise<void>;
}

interface Counted {
  readonly asked: AuditedRequest;
  readonly reason: string;
  readonly since: number;
  /** Since the record before. */
  count: number;
}

/** Whoever tries keys by the thousand writes a hundred records at most in ten minutes, with how many there were. */
function createRefusalCount({ platform, write }: RefusalCountOptions): Pick<AuditTrail, 'noteRefused' | 'settled'> & {
  readonly note: AuditTrail['noteRefused'];
} {
  const counted = new Map<string, Counted>();
  let writing: Promise<void> = Promise.resolve();
  let cancelTimer: (() => void) | undefined;

  const begin = (work: Promise<void>): void => {
    writing = Promise.all([writing, work]).then(() => undefined);
  };
  const flush = (isOver: (each: Counted) => boolean): void => {
    for (const [kind, each] of counted) {
      if (!isOver(each)) continue;
      counted.delete(kind);
      if (each.count > 0) begin(write(each.asked, each.reason, each.count));
    }
  };
  const flushOver = (): void => flush(({ since }) => since <= platform.monotonicNow() - COUNTED_FOR_MS);
  const flushLater = (): void => {
    if (platform.isPerRequest === true || cancelTimer !== undefined) return;
    cancelTimer = platform.setTimer(() => {
      cancelTimer = undefined;
      flushOver();
      if (counted.size > 0) flushLater();
    }, COUNTED_FOR_MS);
  };
  const note: AuditTrail['noteRefused'] = (asked, { code }) => {
    flushOver();
    const { request, principal, action, place } = asked;
    const own = JSON.stringify([principal?.id ?? request.remoteAddress ?? '', action ?? place, code]);
    const isOther = !counted.has(own) && counted.size >= MAX_KINDS;
    const kind = isOther ? 'others' : own;
    const known = counted.get(kind);
    if (known !== undefined) return void (known.count += 1);
    const about: AuditedRequest = isOther
      ? { ...asked, action: 'administration.others', place: '', params: {}, principal: undefined }
      : asked;
    counted.set(kind, { asked: about, reason: code, since: platform.monotonicNow(), count: 0 });
    const work = write(about, code, 1);
    if (platform.isPerRequest === true) request.waitUntil?.(work);
    else begin(work);
    flushLater();
  };
  return {
    note,
    noteRefused: note,
    async settled() {
      flush(({ count }) => count > 0);
      await writing;
    },
  };
}
