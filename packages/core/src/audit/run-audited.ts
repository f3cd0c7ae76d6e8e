import type { IdentityAudit } from '../auth/identity-sessions.ts';
import type { Session } from '../auth/session-keep.ts';
import type { Awaitable } from '../foundation/awaitable.ts';
import { toGatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import type { GatewayResponse } from '../http/response.ts';
import type { LiveSetup } from '../setup/live-setup.ts';
import type { Store } from '../stores/store.ts';
import type { AuditTargetKind } from '../wire/audit.ts';
import { type AuditedRequest, type AuditFacts, type AuditTrail, targetKindOf } from './audit-trail.ts';
import { type AuditedTable, cut, type Fields, redact, toDifference } from './redact.ts';
import { type RowChange, trackChanges } from './track-changes.ts';

/** The parts of a gateway by which operations change what is recorded. */
export interface AuditedParts {
  readonly store: Store;
  readonly members: unknown;
  readonly liveSetup: LiveSetup | undefined;
  /** Called by a sign-in: nothing else knows who is signed in by it. */
  readonly noteSignIn: (session: Session) => void;
}

/** The kinds of targets whose data are in a table; the first is that of its rows. */
const KINDS: Readonly<Record<AuditedTable, readonly [AuditTargetKind, ...AuditTargetKind[]]>> = {
  keys: ['key'],
  members: ['member'],
  guardrails: ['guardrail'],
  workspaces: ['workspace', 'budget'],
  destinations: ['destination'],
  providers: ['provider'],
  models: ['model', 'catalog'],
  settings: ['settings', 'rate_limits', 'call_limits', 'alarm', 'budget', 'retention', 'view', 'catalog'],
  byokKeys: ['byok'],
  scimGroups: ['group', 'group_mapping'],
  prompts: ['prompt'],
  presets: ['preset'],
  keyAssignments: ['guardrail'],
  memberAssignments: ['guardrail'],
};

/**
 * Runs an operation that is recorded, with parts that tell what it changes. Resolves with its response once its records
 * are durable; what it had changed before it failed is recorded, too.
 */
export async function runAudited<Parts extends AuditedParts & { readonly platform: Pick<Platform, 'sha256'> }>(
  trail: AuditTrail,
  asked: AuditedRequest & { readonly action: string },
  parts: Parts,
  handle: (parts: Parts) => Awaitable<GatewayResponse>,
): Promise<GatewayResponse> {
  const { request, principal } = asked;
  // What can be done at once is: a call that is to be cancelled goes on meanwhile.
  const waiting = trail.requireWritable();
  if (waiting !== undefined) await waiting;
  const changes: RowChange[] = [];
  const signedIn: Session[] = [];
  // Before it is run: a session may be gone afterwards.
  const before = trail.actorOf(request, principal);
  before.catch(() => undefined);
  const record = async (reason: string | null): Promise<void> => {
    const [session] = signedIn;
    const actor = session === undefined ? await before : await trail.actorOfSession(session);
    // Nobody was signed out, or in.
    const isSignIn = asked.action === 'session.create';
    if ((actor.kind === 'unknown' || (isSignIn && session === undefined)) && changes.length === 0) return;
    const changed = changes.length === 0 ? [] : await toChangeFacts(asked, changes, parts.platform);
    // A sign-in is one also where it has changed its member.
    const found = changed.length === 0 || session !== undefined ? [toPlainFacts(asked), ...changed] : changed;
    const facts = found.map((each) =>
      each.target.kind === 'session' ? { ...each, target: { ...each.target, id: actor.id, name: actor.name } } : each,
    );
    await trail.record({ actor, request }, reason === null ? facts : facts.map((each) => ({ ...each, reason })));
  };
  let response: GatewayResponse;
  try {
    response = await handle(withTracking(parts, changes, signedIn));
  } catch (error) {
    if (changes.length > 0) await record(toGatewayError(error).code);
    throw error;
  }
  if (response.status < 400) await record(null);
  return response;
}

/** The audit log of what a provider of identity changes while a session goes on; undefined where there is no log. */
export function createIdentityAudit(
  trail: AuditTrail | null,
  { store, platform }: { readonly store: Store; readonly platform: Pick<Platform, 'sha256'> },
): IdentityAudit | undefined {
  if (trail === null) return undefined;
  return {
    noteEnded: trail.noteEnded,
    async track(session, request, run) {
      const changes: RowChange[] = [];
      const result = await run(trackChanges(store, (change) => void changes.push(change)));
      if (changes.length > 0) {
        const facts = await toChangeFacts({ action: 'member.update', params: {} }, changes, platform);
        // It was logged, and is written with the next record: the session goes on.
        await trail.record({ actor: await trail.actorOfSession(session), request }, facts).catch(() => undefined);
      }
      return result;
    },
  };
}

function withTracking<Parts extends AuditedParts>(parts: Parts, changes: RowChange[], signedIn: Session[]): Parts {
  const store = trackChanges(parts.store, (change) => void changes.push(change));
  const { liveSetup, members } = parts;
  const own: AuditedParts = {
    store,
    members: members === parts.store.members ? store.members : members,
    liveSetup: liveSetup && { ...liveSetup, rows: store },
    noteSignIn: (session) => void signedIn.push(session),
  };
  // With the getters as they are: what they return may change meanwhile.
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(parts),
      ...Object.getOwnPropertyDescriptors(own),
    },
  ) as Parts;
}

/** What is done without a row of a table: the path or the query names what it is done to. */
function toPlainFacts({
  action,
  params,
  request,
  principal,
}: AuditedRequest & { readonly action: string }): AuditFacts {
  const [given] = Object.values(params);
  const id = given ?? new URLSearchParams(request.query).get('id');
  return { action, target: { kind: targetKindOf(action), id, name: null, workspace: principal?.workspaceId ?? null } };
}

async function toChangeFacts(
  { action, params }: Pick<AuditedRequest, 'params'> & { readonly action: string },
  changes: readonly RowChange[],
  platform: Pick<Platform, 'sha256'>,
): Promise<AuditFacts[]> {
  const kind = targetKindOf(action);
  return Promise.all(
    mergeChanges(changes).map(async ({ table, id, before, after }) => {
      const isAsked = KINDS[table].includes(kind);
      const was = before && (await redact(table, before, platform));
      const is = after && (await redact(table, after, platform));
      const target = {
        kind: isAsked ? kind : KINDS[table][0],
        id: table === 'settings' ? (Object.values(params)[0] ?? null) : id,
        ...describeRow(table, id, is ?? was ?? {}),
      };
      const shown = was !== null && is !== null ? toDifference(was, is) : { before: was, after: is };
      return {
        action: isAsked ? action : `${KINDS[table][0]}.${verbOf(before, after)}`,
        target,
        before: shown.before && cut(shown.before),
        after: shown.after && cut(shown.after),
      };
    }),
  );
}

function verbOf(before: object | null, after: object | null): string {
  if (before === null) return 'create';
  return after === null ? 'delete' : 'update';
}

/** Several changes of one row are one. */
function mergeChanges(changes: readonly RowChange[]): readonly RowChange[] {
  const merged = new Map<string, RowChange>();
  for (const change of changes) {
    const known = merged.get(`${change.table} ${change.id}`);
    merged.set(`${change.table} ${change.id}`, known === undefined ? change : { ...change, before: known.before });
  }
  return [...merged.values()];
}

/** By what people know a row. */
function describeRow(table: AuditedTable, id: string, row: Fields): Pick<AuditFacts['target'], 'name' | 'workspace'> {
  const inner = table === 'workspaces' ? ((row['workspace'] ?? {}) as Fields) : row;
  const isAssignment = table === 'keyAssignments' || table === 'memberAssignments';
  const texts = isAssignment ? [] : [inner['name'], inner['email'], inner['label'], inner['displayName']];
  const workspaces = [row['workspaceId'], row['workspace_id'], table === 'workspaces' ? id : undefined];
  const firstText = (values: readonly unknown[]): string | null =>
    values.find((value): value is string => typeof value === 'string' && value !== '') ?? null;
  return { name: firstText(texts), workspace: isAssignment ? null : firstText(workspaces) };
}
