import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { OrganizationRole, WorkspaceRole } from '../http/request.ts';
import type { Membership, Store, WorkspaceRecord } from '../stores/store.ts';
import type { Member } from '../wire/members.ts';
import { changeMember } from './change-member.ts';
import { ROLES, withGivenRole } from './given-role.ts';
import { type MemberDirectory, roleOf } from './member-principal.ts';
import { ownRoleOf, withOwnRole, workspaceNamed } from './memberships.ts';

/** Who somebody is, as a provider of identity or a trusted proxy says. */
export interface Identity {
  /** The id of their member, the same at each sign-in: 1 to 200 characters. */
  readonly id: string;
  /** True for an id that is an address which nobody has checked: it is no proof of the name in a directory. */
  readonly isIdUnchecked?: boolean | undefined;
  readonly email?: string | undefined;
  /** Whether the address was checked by the one who says it; undefined where that is not said. */
  readonly isEmailVerified?: boolean | undefined;
  readonly name?: string | undefined;
  readonly groups: readonly string[];
}

/** What a group gives its people. */
export interface GroupGrant {
  readonly role?: OrganizationRole | undefined;
  /** Roles by the slug or the id of the workspace. */
  readonly workspaces?: Readonly<Record<string, WorkspaceRole>> | undefined;
}

/** Who may sign in, and as what. */
export interface IdentityRules {
  /** By the name of the group, as the provider writes it. */
  readonly groups: Readonly<Record<string, GroupGrant>>;
  /**
   * Of people to whom neither groups nor the directory give a role. Default: they are refused where any group gives one,
   * else `developer`.
   */
  readonly defaultRole?: OrganizationRole | undefined;
  /** Domains of email addresses that may sign in. Default: all. */
  readonly allowedDomains?: readonly string[] | undefined;
  /** Email address of the person who becomes the owner while there is none. */
  readonly firstOwner?: string | undefined;
}

export interface IdentityParts {
  /** The store's own, unless the host has its own. */
  readonly members: MemberDirectory;
  readonly store: Pick<Store, 'members' | 'workspaces'>;
  readonly platform: Pick<Platform, 'now'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Why somebody whom the provider knows may not sign in: `metadata.reason` of the error. */
export type IdentityProblem = 'inactive' | 'domain' | 'groups' | 'directory' | 'invalid_user';

/**
 * Creates or updates the member that somebody is, with the roles that their groups give. A member who was added before
 * under another id is the same one where the directory calls them by the id, or where both have the same checked email
 * address. Groups give and take the workspaces that the rules name, and no others; the role is theirs where any group
 * gives one. The last owner stays one.
 *
 * Throws `permission_denied`, with an `IdentityProblem`, for people who may not sign in, and changes nothing then. With
 * `isKnown` it makes no member: a session that goes on does not bring back one who was removed.
 */
export async function applyIdentity(
  identity: Identity,
  rules: IdentityRules,
  parts: IdentityParts,
  { isKnown = false }: { readonly isKnown?: boolean } = {},
): Promise<Member> {
  const { id, email = '' } = identity;
  if (id.trim() === '' || id.length > 200)
    throw refuse('invalid_user', 'The name of the user is empty or has more than 200 characters');
  refuseOtherDomains(identity, rules);
  const members = await parts.members.list();
  const known = findKnown(identity, members);
  if (known?.active === false)
    throw refuse('inactive', 'This member is deactivated; ask an administrator of the organization');
  if (parts.members !== parts.store.members) {
    if (known !== undefined) return known;
    throw refuse('directory', 'Members are managed by the host application, which does not know this one');
  }
  if (known === undefined && isKnown) throw refuseRemoved();
  const role = chooseRole(identity, rules, known && withGivenRole(known, rules.groups), members);
  const initial: Member = { id, email: '', first_name: null, last_name: null, role: 'org:member' };
  const said = {
    // One that the provider has not checked would later pass for the address of somebody else.
    email: email === '' || identity.isEmailVerified === false ? undefined : email.slice(0, 320),
    name: identity.name?.slice(0, 400),
  };
  const change = (member: Member): Member => {
    // Deactivated while this was on its way.
    if (member.active === false)
      throw refuse('inactive', 'This member is deactivated; ask an administrator of the organization');
    // Name and address of whom the directory has sent are the directory's.
    const changed = changeMember(withGivenRole(member, rules.groups), member.scim === undefined ? said : {});
    return {
      ...changed,
      role: role === 'owner' || role === 'administrator' ? 'org:admin' : 'org:member',
      organization_role: role,
    };
  };
  const target = known ?? initial;
  const next = change(target);
  const isSame = known !== undefined && JSON.stringify(known) === JSON.stringify(next);
  const member = isSame
    ? known
    : await parts.store.members.update(target.id, change, known === undefined ? initial : undefined);
  if (member === undefined) throw refuseRemoved();
  await applyWorkspaces(member, identity, rules, parts);
  return member;
}

const refuseRemoved = (): GatewayError =>
  refuse('inactive', 'This member was removed; ask an administrator of the organization');

export const refuse = (reason: IdentityProblem, message: string): GatewayError =>
  new GatewayError('permission_denied', message, { metadata: { reason } });

function refuseOtherDomains({ email, isEmailVerified }: Identity, { allowedDomains }: IdentityRules): void {
  if (allowedDomains === undefined || allowedDomains.length === 0) return;
  const domain = email?.slice(email.lastIndexOf('@') + 1).toLowerCase();
  const isAllowed = email?.includes('@') === true && allowedDomains.some((each) => each.toLowerCase() === domain);
  if (isAllowed && isEmailVerified !== false) return;
  throw refuse('domain', 'People with this email address may not sign in here');
}

/**
 * By the id, by the name under which the directory has sent them, or by an address that the provider has checked: a claim
 * of an address that it has not is no proof. The directory tells names apart in upper or lower case.
 */
function findKnown(
  { id, isIdUnchecked = false, email = '', isEmailVerified }: Identity,
  members: readonly Member[],
): Member | undefined {
  const name = id.toLowerCase();
  const isNamed = ({ scim }: Member): boolean => !isIdUnchecked && scim?.user_name.toLowerCase() === name;
  const known = members.find((member) => member.id === id) ?? members.find(isNamed);
  if (known !== undefined || email === '' || isEmailVerified !== true) return known;
  const same = members.filter((member) => member.email.toLowerCase() === email.toLowerCase());
  return same.length === 1 ? same[0] : undefined;
}

const WORKSPACE_ROLES: readonly WorkspaceRole[] = ['administrator', 'member', 'viewer'];

/** The first of the order that is among them. */
const highest = <Role>(order: readonly Role[], roles: readonly (Role | undefined)[]): Role | undefined =>
  order.find((role) => roles.includes(role));

const grantsOf = ({ groups: names }: Identity, { groups }: IdentityRules): readonly GroupGrant[] =>
  names.flatMap((name) => (Object.hasOwn(groups, name) ? (groups[name] ?? []) : []));

/** `known` has the role of the directory by the groups as they are configured now. */
function chooseRole(
  identity: Identity,
  rules: IdentityRules,
  known: Member | undefined,
  members: readonly Member[],
): OrganizationRole {
  const owners = members.filter((member) => roleOf(member) === 'owner' && member.active !== false);
  if (owners.length === 0 && isFirstOwner(identity, rules)) return 'owner';
  if (known !== undefined && owners.length === 1 && owners[0]?.id === known.id) return 'owner';
  const grants = grantsOf(identity, rules);
  const granted = highest(
    ROLES,
    grants.map(({ role }) => role),
  );
  if (granted !== undefined) return granted;
  const isByGroups = Object.values(rules.groups).some(({ role }) => role !== undefined);
  if (!isByGroups) return known === undefined ? (rules.defaultRole ?? 'developer') : roleOf(known);
  // Not the present role, which a group may have given that they have left.
  const ofDirectory = known?.scim?.given_role;
  if (ofDirectory !== undefined) return ofDirectory;
  if (rules.defaultRole !== undefined) return rules.defaultRole;
  throw refuse('groups', 'None of the groups of this user may sign in here');
}

const isFirstOwner = ({ email, isEmailVerified }: Identity, { firstOwner }: IdentityRules): boolean =>
  firstOwner !== undefined && isEmailVerified !== false && email?.toLowerCase() === firstOwner.toLowerCase();

async function applyWorkspaces(
  member: Member,
  identity: Identity,
  rules: IdentityRules,
  { store, platform, logger }: IdentityParts,
): Promise<void> {
  const named = new Set(Object.values(rules.groups).flatMap(({ workspaces = {} }) => Object.keys(workspaces)));
  if (named.size === 0) return;
  const grants = grantsOf(identity, rules);
  const records = await store.workspaces.list();
  for (const name of named) {
    const record = workspaceNamed(name, records);
    if (record === undefined) {
      logger.warn('a group gives access to a workspace that does not exist', { workspace: name });
      continue;
    }
    const role = highest(
      WORKSPACE_ROLES,
      grants.map(({ workspaces }) => workspaces?.[name]),
    );
    const wanted = role === undefined ? undefined : TO_MEMBERSHIP[role];
    const before = record.members?.find(({ user_id: userId }) => userId === member.id);
    if ((before === undefined ? null : ownRoleOf(before)) === (wanted ?? null)) continue;
    const createdAt = new Date(platform.now()).toISOString();
    await store.workspaces.update(record.id, (there) => withRole(there, member.id, wanted, createdAt));
  }
}

const TO_MEMBERSHIP: Readonly<Record<WorkspaceRole, Membership['role']>> = {
  administrator: 'admin',
  member: 'member',
  viewer: 'viewer',
};

function withRole(
  record: WorkspaceRecord,
  userId: string,
  role: Membership['role'] | undefined,
  createdAt: string,
): WorkspaceRecord {
  const { members = [] } = record;
  const before = members.find((membership) => membership.user_id === userId);
  if (before === undefined) {
    if (role === undefined) return record;
    return { ...record, members: [...members, { user_id: userId, role, created_at: createdAt }] };
  }
  // What groups of a directory give by their mappings stays.
  const next = withOwnRole(before, role ?? null) ?? [];
  return { ...record, members: members.flatMap((membership) => (membership === before ? next : [membership])) };
}
