import { type AwsCredentialSource, readVariable } from '@model-gateway/core';

import type { CloudHost } from '../cloud-host.ts';
import { createRenewed } from '../renewed.ts';
import { type AwsProfile, type AwsProfiles, profileOfEnvironment, readAwsProfiles } from './aws-profiles.ts';
import {
  type AssumedRole,
  assumeRole,
  assumeRoleWithWebIdentity,
  findContainerCredentials,
  findInstanceCredentials,
  type FoundAwsCredentials,
} from './aws-servers.ts';

/** Who the gateway is at AWS, as an operator says it. */
export interface AwsIdentity {
  /** The region of the token service. */
  readonly region: string;
  /** A profile of the shared files; nothing else is looked at then. */
  readonly profile?: string | undefined;
  /** A role that is taken on with the credentials that were found. */
  readonly roleArn?: string | undefined;
  readonly externalId?: string | undefined;
}

/** Creates the source of an identity's credentials, which fetches them anew before they expire. */
export function createAwsCredentials(identity: AwsIdentity, host: CloudHost): AwsCredentialSource {
  return createRenewed({
    now: host.now,
    async fetch() {
      const { credentials, expiresAt } = await findAwsCredentials(identity, host);
      return { value: credentials, expiresAt };
    },
  });
}

/**
 * Finds credentials where AWS's own tools do, in their order: the environment, the shared files, a web identity, the
 * role of the container, the role of the instance. Rejects with all places that were looked at.
 */
export async function findAwsCredentials(identity: AwsIdentity, host: CloudHost): Promise<FoundAwsCredentials> {
  const { region, profile, roleArn, externalId } = identity;
  const found = profile === undefined ? await findAnywhere(host, region) : await findInProfile(profile, host, region);
  return roleArn === undefined ? found : assumeRole({ roleArn, externalId }, found, host, region);
}

type Find = () => Promise<FoundAwsCredentials | undefined> | FoundAwsCredentials | undefined;

async function findAnywhere(host: CloudHost, region: string): Promise<FoundAwsCredentials> {
  const places: readonly (readonly [place: string, find: Find])[] = [
    ['environment (AWS_ACCESS_KEY_ID)', () => findInEnvironment(host)],
    [`shared files, profile "${profileOfEnvironment(host.env)}"`, () => findInSharedFiles(host, region)],
    ['web identity (AWS_WEB_IDENTITY_TOKEN_FILE)', () => findByWebIdentity(host, region)],
    ['role of the container', () => findContainerCredentials(host)],
    ['role of the instance', () => findInstanceCredentials(host)],
  ];
  const tried: string[] = [];
  for (const [place, find] of places) {
    try {
      const found = await find();
      if (found !== undefined) return found;
      tried.push(`${place}: none`);
    } catch (error) {
      tried.push(`${place}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(`no credentials of AWS were found; ${tried.join('; ')}`);
}

function findInEnvironment({ env }: CloudHost): FoundAwsCredentials | undefined {
  const accessKeyId = readVariable(env, 'AWS_ACCESS_KEY_ID');
  const secretAccessKey = readVariable(env, 'AWS_SECRET_ACCESS_KEY');
  const sessionToken = readVariable(env, 'AWS_SESSION_TOKEN');
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return {
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
    source: 'the environment (AWS_ACCESS_KEY_ID)',
  };
}

function findByWebIdentity(host: CloudHost, region: string): Promise<FoundAwsCredentials> | undefined {
  const tokenFile = readVariable(host.env, 'AWS_WEB_IDENTITY_TOKEN_FILE');
  const roleArn = readVariable(host.env, 'AWS_ROLE_ARN');
  if (tokenFile === undefined || roleArn === undefined) return undefined;
  const sessionName = readVariable(host.env, 'AWS_ROLE_SESSION_NAME');
  return assumeRoleWithWebIdentity({ roleArn, sessionName }, tokenFile, host, region);
}

async function findInSharedFiles(host: CloudHost, region: string): Promise<FoundAwsCredentials | undefined> {
  const shared = await readAwsProfiles(host);
  const name = profileOfEnvironment(host.env);
  const profile = shared.profiles.get(name);
  // A profile may do no more than name a region.
  if (profile === undefined || !SAYS_WHO.some((setting) => setting in profile)) return undefined;
  return readProfile(name, { shared, host, region, seen: [] });
}

async function findInProfile(name: string, host: CloudHost, region: string): Promise<FoundAwsCredentials> {
  return readProfile(name, { shared: await readAwsProfiles(host), host, region, seen: [] });
}

const SAYS_WHO = ['aws_access_key_id', 'role_arn', 'credential_process', 'sso_session', 'sso_start_url'];

interface ProfileReading {
  readonly shared: AwsProfiles;
  readonly host: CloudHost;
  readonly region: string;
  /** Profiles that led here. */
  readonly seen: readonly string[];
}

/** The credentials of a profile: its keys, or a role that is taken on by another profile, a token or a role of this place. */
async function readProfile(name: string, reading: ProfileReading): Promise<FoundAwsCredentials> {
  const { shared, seen } = reading;
  const profile = shared.profiles.get(name);
  if (profile === undefined) {
    const files = shared.files.length === 0 ? 'there are no shared files' : `read: ${shared.files.join(', ')}`;
    throw new Error(`there is no profile "${name}" (${files})`);
  }
  const roleArn = profile['role_arn'];
  // The keys of a profile that names itself are what its own role is taken on with.
  if (roleArn !== undefined && !seen.includes(name)) return takeRole(name, profile, roleArn, reading);
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey, aws_session_token: token } = profile;
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return {
      credentials: { accessKeyId, secretAccessKey, ...(token !== undefined && { sessionToken: token }) },
      source: `the profile "${name}"`,
    };
  }
  if (seen.includes(name)) throw new Error(`the profile "${name}" takes a role on by itself`);
  const unread = ['credential_process', 'sso_session', 'sso_start_url'].find((setting) => setting in profile);
  if (unread !== undefined) throw new Error(`the profile "${name}" needs ${unread}, which is not supported`);
  throw new Error(`the profile "${name}" has no keys`);
}

async function takeRole(
  name: string,
  profile: AwsProfile,
  roleArn: string,
  reading: ProfileReading,
): Promise<FoundAwsCredentials> {
  const { host, seen } = reading;
  const region = profile['region'] ?? reading.region;
  const { web_identity_token_file: tokenFile, source_profile: other, credential_source: place } = profile;
  const role: AssumedRole = {
    roleArn,
    sessionName: profile['role_session_name'],
    externalId: profile['external_id'],
  };
  if (tokenFile !== undefined) return assumeRoleWithWebIdentity(role, tokenFile, host, region);
  if (other !== undefined) {
    const source = await readProfile(other, { ...reading, seen: [...seen, name] });
    return assumeRole(role, source, host, region);
  }
  const find = place === undefined ? undefined : SOURCES[place.toLowerCase()];
  const source = await find?.(host);
  if (source === undefined) throw new Error(`the profile "${name}" does not say by whom its role is taken on`);
  return assumeRole(role, source, host, region);
}

/** What `credential_source` may name. */
const SOURCES: Readonly<Record<string, (host: CloudHost) => ReturnType<Find>>> = {
  environment: findInEnvironment,
  ecscontainer: findContainerCredentials,
  ec2instancemetadata: findInstanceCredentials,
};
