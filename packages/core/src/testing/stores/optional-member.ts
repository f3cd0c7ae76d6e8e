import type { Store } from '../../stores/store.ts';

const MEMBERS = {
  'broadcasts.listOf': ({ broadcasts }: Store) => broadcasts.listOf,
  'broadcasts.page': ({ broadcasts }: Store) => broadcasts.page,
  'generations.follow': ({ generations }: Store) => generations.follow,
  'generations.noteRunning': ({ generations }: Store) => generations.noteRunning,
  'guardrailHits.listDays': ({ guardrailHits }: Store) => guardrailHits.listDays,
  'videoJobs.findByIdempotencyKey': ({ videoJobs }: Store) => videoJobs.findByIdempotencyKey,
  'videoJobs.listNewest': ({ videoJobs }: Store) => videoJobs.listNewest,
  'videoJobs.listOrdered': ({ videoJobs }: Store) => videoJobs.listOrdered,
  'videoJobs.listWorking': ({ videoJobs }: Store) => videoJobs.listWorking,
  'videoJobs.page': ({ videoJobs }: Store) => videoJobs.page,
} as const;

/** A part of a store that it may do without, and of which there are cases. */
export type OptionalMember = keyof typeof MEMBERS;

/** Throws where a store does without a member, as a case about it would say nothing. */
export function expectMember(store: Store, member: OptionalMember): void {
  if (MEMBERS[member](store) !== undefined) return;
  throw new Error(`The store has no ${member}, which is optional: skip the cases that need it`);
}
