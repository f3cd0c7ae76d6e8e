import { readFile } from 'node:fs/promises';

import { type AwsCredentials, readVariable } from '@model-gateway/core';

import { askForCredentials, type CloudHost } from '../cloud-host.ts';

/** Credentials, where they were found, and until when they can be used. */
export interface FoundAwsCredentials {
  readonly credentials: AwsCredentials;
  /** Milliseconds since the epoch; undefined for keys that do not expire. */
  readonly expiresAt?: number | undefined;
  /** In words, without anything secret: `the role of this instance`. */
  readonly source: string;
}

export interface AssumedRole {
  readonly roleArn: string;
  /** Default: `model-gateway`. */
  readonly sessionName?: string | undefined;
  /** What the owner of the role wants to be told. */
  readonly externalId?: string | undefined;
}

const SESSION_NAME = 'model-gateway';
const STS_VERSION = '2011-06-15';

/** Takes a role on with keys that may (`AssumeRole`). */
export async function assumeRole(
  { roleArn, sessionName = SESSION_NAME, externalId }: AssumedRole,
  { credentials, source }: FoundAwsCredentials,
  host: CloudHost,
  region: string,
): Promise<FoundAwsCredentials> {
  const { AwsV4Signer } = await import('aws4fetch');
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const query = { Action: 'AssumeRole', RoleArn: roleArn, RoleSessionName: sessionName };
  const signer = new AwsV4Signer({
    method: 'POST',
    url: toStsUrl(host, region),
    headers: FORM,
    body: toForm({ ...query, ...(externalId !== undefined && { ExternalId: externalId }) }),
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    service: 'sts',
    region,
    datetime: new Date((host.now ?? Date.now)()).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
  });
  const { url, method, headers, body } = await signer.sign();
  const text = await askForCredentials(`AWS's token service, asked for the role ${roleArn},`, url.href, {
    method,
    headers,
    body: body as string,
  });
  return { ...readStsCredentials(text), source: `the role ${roleArn}, by ${source}` };
}

/** Takes a role on by a token that someone else has issued: Kubernetes, GitHub (`AssumeRoleWithWebIdentity`). */
export async function assumeRoleWithWebIdentity(
  { roleArn, sessionName = SESSION_NAME }: AssumedRole,
  tokenFile: string,
  host: CloudHost,
  region: string,
): Promise<FoundAwsCredentials> {
  // Read each time: the file is replaced before its token expires.
  const token = await readToken(tokenFile);
  const form = { Action: 'AssumeRoleWithWebIdentity', RoleArn: roleArn, RoleSessionName: sessionName };
  const text = await askForCredentials(`AWS's token service, asked for the role ${roleArn},`, toStsUrl(host, region), {
    method: 'POST',
    headers: FORM,
    body: toForm({ ...form, WebIdentityToken: token }),
  });
  return { ...readStsCredentials(text), source: `the role ${roleArn}, by the web identity in ${tokenFile}` };
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const toForm = (fields: Readonly<Record<string, string>>): string =>
  new URLSearchParams({ ...fields, Version: STS_VERSION }).toString();

const toStsUrl = ({ env }: CloudHost, region: string): string =>
  readVariable(env, 'AWS_ENDPOINT_URL_STS') ??
  `https://sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`;

async function readToken(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    throw new Error(`the token in ${path} cannot be read`, { cause });
  }
}

function readStsCredentials(xml: string): Omit<FoundAwsCredentials, 'source'> {
  const read = (name: string): unknown => new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml)?.[1]?.trim();
  return toFound(
    {
      AccessKeyId: read('AccessKeyId'),
      SecretAccessKey: read('SecretAccessKey'),
      Token: read('SessionToken'),
      Expiration: read('Expiration'),
    },
    "AWS's token service",
  );
}

/** Checks what a server has sent. */
function toFound(sent: unknown, what: string): Omit<FoundAwsCredentials, 'source'> {
  const fields = (typeof sent === 'object' && sent !== null ? sent : {}) as Readonly<Record<string, unknown>>;
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: token, Expiration: until } = fields;
  const expiresAt = typeof until === 'string' ? Date.parse(until) : Number.NaN;
  if (typeof accessKeyId !== 'string' || typeof secretAccessKey !== 'string') {
    throw new Error(`${what} sent no credentials`);
  }
  return {
    credentials: { accessKeyId, secretAccessKey, ...(typeof token === 'string' && { sessionToken: token }) },
    ...(!Number.isNaN(expiresAt) && { expiresAt }),
  };
}

/** The address of Amazon ECS's own agent. */
const ECS_AGENT = 'http://169.254.170.2';
/** Where keys may be asked for in the clear: this machine, and the agents of ECS and EKS. */
const NEAR_HOSTS: ReadonlySet<string> = new Set([
  'localhost',
  '127.0.0.1',
  '[::1]',
  '169.254.170.2',
  '169.254.170.23',
  '[fd00:ec2::23]',
]);

/** The role of this container (ECS, EKS Pod Identity); undefined where the environment names none. */
export async function findContainerCredentials({ env }: CloudHost): Promise<FoundAwsCredentials | undefined> {
  const relative = readVariable(env, 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI');
  const full = readVariable(env, 'AWS_CONTAINER_CREDENTIALS_FULL_URI');
  if (relative === undefined && full === undefined) return undefined;
  const url = new URL(relative === undefined ? (full ?? '') : ECS_AGENT + relative);
  if (url.protocol !== 'https:' && !NEAR_HOSTS.has(url.hostname)) {
    throw new Error('AWS_CONTAINER_CREDENTIALS_FULL_URI must be an address of https, or of this machine');
  }
  const tokenFile = readVariable(env, 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE');
  const token =
    tokenFile === undefined ? readVariable(env, 'AWS_CONTAINER_AUTHORIZATION_TOKEN') : await readToken(tokenFile);
  const what = 'the agent of this container';
  const text = await askForCredentials(what, url.href, {
    isNear: true,
    ...(token !== undefined && { headers: { authorization: token } }),
  });
  return { ...toFound(parse(text), what), source: 'the role of this container' };
}

const INSTANCE_METADATA = 'http://169.254.169.254';
const ROLES = '/latest/meta-data/iam/security-credentials/';

/** The role of this instance, by version 2 of its metadata service. */
export async function findInstanceCredentials({ env }: CloudHost): Promise<FoundAwsCredentials | undefined> {
  if (readVariable(env, 'AWS_EC2_METADATA_DISABLED')?.toLowerCase() === 'true') return undefined;
  const server = (readVariable(env, 'AWS_EC2_METADATA_SERVICE_ENDPOINT') ?? INSTANCE_METADATA).replace(/\/+$/, '');
  const what = 'the metadata service of this instance';
  const token = await askForCredentials(what, `${server}/latest/api/token`, {
    method: 'PUT',
    headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' },
    isNear: true,
  });
  const get = (path: string): Promise<string> =>
    askForCredentials(what, server + path, { headers: { 'x-aws-ec2-metadata-token': token.trim() }, isNear: true });
  const [role = ''] = (await get(ROLES)).trim().split('\n');
  if (role === '') throw new Error('this instance has no role');
  const text = await get(ROLES + encodeURIComponent(role.trim()));
  return { ...toFound(parse(text), what), source: `the role ${role.trim()} of this instance` };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
