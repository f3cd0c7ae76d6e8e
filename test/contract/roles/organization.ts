import type {
  GenerationRecord,
  Guardrail,
  KeyRecord,
  Member,
  Principal,
  Store,
  VideoJob,
  WorkspaceRecord,
} from '@model-gateway/core';

import { toNewWorkspace } from '../../../packages/core/src/account/workspaces.ts';
import { DEFAULT_WORKSPACE_ID } from '../../../packages/core/src/auth/keys.ts';
import { toGuardrail, toKey, toRecord, toVideoJob } from '../../../packages/core/testing/rows.ts';
import { toContent } from '../../support/stores/generation-records.ts';

/** Everything that a store of an organization holds, as the test made it. */
export interface Organization {
  readonly members: readonly Member[];
  readonly workspaces: readonly WorkspaceRecord[];
  readonly keys: readonly KeyRecord[];
  readonly guardrails: readonly Guardrail[];
  readonly generations: readonly GenerationRecord[];
  readonly videos: readonly VideoJob[];
}

const USERS = ['anna', 'bert', 'cleo', 'dora', 'emil', 'fred'];
export const WORKSPACES = [DEFAULT_WORKSPACE_ID, 'space-1', 'space-2'];

/** Whole numbers below a bound, the same each time. */
export function createNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** An organization of six members in three workspaces, with calls of all of them up to a moment. */
export function createOrganization(count: number, nowMs: number): Organization {
  const next = createNumbers(7);
  const pick = <Item>(items: readonly Item[]): Item => items[next(items.length)] as Item;
  const members = USERS.map((id): Member => ({
    id,
    email: `${id}@example.org`,
    first_name: id,
    last_name: 'Of',
    role: 'org:member',
  }));
  const createdAt = new Date(nowMs - 40 * DAY_MS).toISOString();
  const workspaces = WORKSPACES.slice(1).map((id, place): WorkspaceRecord => ({
    ...toNewWorkspace({ id, name: `Name of ${id}`, slug: id, created_at: createdAt, created_by: null }),
    budgets: [],
    members: USERS.filter((_, index) => place === 0 || index % 2 === 0).map((userId) => ({
      user_id: userId,
      role: place === 0 && userId === 'cleo' ? 'admin' : userId === 'bert' ? 'viewer' : 'member',
      created_at: createdAt,
    })),
  }));
  const keys = Array.from({ length: 48 }, (_, index): KeyRecord => {
    const user = index % 7 === 6 ? null : pick(USERS);
    return {
      ...toKey(`key-${index}-of-${user}`),
      kind: index % 12 === 11 ? 'management' : 'api',
      creatorUserId: user,
      workspaceId: pick(WORKSPACES),
      limitUsd: index % 3 === 0 ? 5 : null,
    };
  });
  const guardrails = WORKSPACES.flatMap((workspaceId) =>
    [0, 1].map((index) => ({ ...toGuardrail(`guardrail-${index}-of-${workspaceId}`), workspace_id: workspaceId })),
  );
  const generations = Array.from({ length: count }, (_, index): GenerationRecord => {
    const key = pick(keys);
    const userId = key.creatorUserId ?? undefined;
    return toRecord(`gen-${String(index).padStart(5, '0')}-of-${userId}`, {
      principalId: key.hash,
      ...(userId !== undefined && { userId }),
      costNanoUsd: 1 + next(1_000_000),
      generation: {
        created_at: new Date(nowMs - next(35 * DAY_MS)).toISOString(),
        model: pick(['acme/chat', 'acme/other', `model-of-${userId}`]),
        provider_name: pick(['Acme', 'Beta', null]),
        workspace_id: key.workspaceId,
        session_id: pick([null, 'shared', `session-${next(9)}`, `session-of-${userId}`]),
        user_agent: `agent-of-${userId}/1`,
        external_user: `end-user-of-${userId}`,
        tokens_prompt: next(5000),
        tokens_completion: next(5000),
        generation_time: 100 + next(9000),
        latency: next(500),
        cancelled: next(20) === 0,
      },
    });
  });
  const videos = Array.from({ length: 30 }, (_, index): VideoJob => {
    const key = pick(keys);
    const moment = nowMs - next(5 * DAY_MS);
    return {
      ...toVideoJob(`video-${index}-of-${key.creatorUserId}`),
      principalId: key.hash,
      userId: key.creatorUserId,
      workspaceId: key.workspaceId,
      createdAt: moment,
      updatedAt: moment,
    };
  });
  return { members, workspaces, keys, guardrails, generations, videos };
}

const DAY_MS = 24 * 60 * 60 * 1000;

export async function fillStore(store: Store, organization: Organization): Promise<void> {
  for (const member of organization.members) await store.members.insert(member);
  for (const workspace of organization.workspaces) await store.workspaces.insert(workspace);
  for (const key of organization.keys) await store.keys.insert(key);
  for (const guardrail of organization.guardrails) await store.guardrails.insert(guardrail);
  for (const record of organization.generations) {
    await store.generations.append(record, toContent(`content ${record.generation.id}`));
  }
  for (const video of organization.videos) await store.videoJobs.insert(video);
}

export interface Actor {
  readonly id: string;
  readonly principal: Principal;
  /** Workspaces of which they see everything. */
  readonly administers: readonly string[];
}

export const toActor = (
  id: string,
  role: NonNullable<Principal['member']>['role'],
  { workspaces }: Pick<Organization, 'workspaces'>,
): Actor => {
  const roles = workspaces.flatMap(({ id: workspaceId, members = [] }) => {
    const own = members.find((membership) => membership.user_id === id);
    if (own === undefined) return [];
    return [[workspaceId, own.role === 'admin' ? ('administrator' as const) : own.role] as const];
  });
  return {
    id,
    administers: roles.flatMap(([workspaceId, own]) => (own === 'administrator' ? [workspaceId] : [])),
    principal: {
      kind: 'management',
      id: `member:${id}`,
      name: id,
      userId: id,
      member: { role, workspaces: new Map(roles) },
    },
  };
};

/** What of an organization is theirs: written apart from the product, which is to come to the same. */
export function restrictTo({ id, administers }: Actor, all: Organization): Organization {
  const isTheirs = (userId: string | null | undefined, workspaceId: string | null | undefined): boolean =>
    userId === id || administers.includes(workspaceId ?? '');
  const workspaces = all.workspaces.filter(({ members = [] }) => members.some(({ user_id: userId }) => userId === id));
  const colleagues = new Set([
    id,
    ...workspaces
      .filter((workspace) => administers.includes(workspace.id))
      .flatMap(({ members = [] }) => members.map(({ user_id: userId }) => userId)),
  ]);
  return {
    members: all.members.filter((member) => colleagues.has(member.id)),
    workspaces,
    keys: all.keys.filter(
      (key) => key.creatorUserId === id || (key.kind === 'api' && administers.includes(key.workspaceId)),
    ),
    guardrails: all.guardrails.filter(({ workspace_id: workspaceId }) => administers.includes(workspaceId ?? '')),
    generations: all.generations.filter(({ userId, generation }) => isTheirs(userId, generation.workspace_id)),
    videos: all.videos.filter(({ userId, workspaceId }) => isTheirs(userId, workspaceId)),
  };
}
