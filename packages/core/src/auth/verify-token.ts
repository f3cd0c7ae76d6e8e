import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';

import { GatewayError } from '../foundation/errors.ts';
import { createFetchTransport } from '../foundation/fetch-transport.ts';
import type { Principal } from '../http/request.ts';
import { DEFAULT_WORKSPACE_ID } from '../wire/values.ts';
import { createKeySet, type KeySet } from './key-set.ts';
import { workspaceNamed } from './memberships.ts';
import {
  type TokenIssuer,
  type TokenOptions,
  type TokenParts,
  UnprovenToken,
  type VerifiedToken,
} from './token-issuers.ts';

const DEFAULT_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
const DEFAULT_TOLERANCE_SECONDS = 30;
const MAX_SUBJECT = 500;
const MAX_NAME = 100;
const MAX_MODELS = 1000;
const MAX_SLUG = 200;

interface KnownIssuer {
  readonly entry: TokenIssuer;
  readonly keys: KeySet;
}

/**
 * Creates what checks a token: signature, issuer, audience and time, and reads its claims. It rejects with
 * `authentication` in words for whoever has sent it, as an `UnprovenToken` where the signature is not known to be good,
 * and with `provider_overloaded` while no key of the issuer is known.
 */
export function createVerify(
  { issuers, transport = createFetchTransport() }: TokenOptions,
  parts: TokenParts,
): (token: string) => Promise<VerifiedToken> {
  const { platform, logger } = parts;
  const known = issuers.map((entry): KnownIssuer => ({
    entry,
    keys: createKeySet(entry, { transport, platform, logger }),
  }));

  return async (token) => {
    const { entry, keys } = chooseIssuer(known, readUnverified(token));
    const { algorithms = DEFAULT_ALGORITHMS, clockToleranceSeconds = DEFAULT_TOLERANCE_SECONDS } = entry;
    const options = {
      issuer: entry.issuer,
      audience: typeof entry.audience === 'string' ? entry.audience : [...entry.audience],
      algorithms: [...algorithms],
      clockTolerance: clockToleranceSeconds,
      currentDate: new Date(platform.now()),
      requiredClaims: ['exp', 'sub'],
    };
    let payload: JWTPayload;
    try {
      ({ payload } = await jwtVerify(token, keys.find, options).catch(async (error: unknown) => {
        if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
        // A token without `kid` of an issuer with several keys: any of them may be the one.
        for await (const key of error) {
          const verified = await jwtVerify(token, key, options).catch((wrong: unknown) => {
            if (wrong instanceof errors.JWSSignatureVerificationFailed) return undefined;
            throw wrong;
          });
          if (verified !== undefined) return verified;
        }
        throw new errors.JWSSignatureVerificationFailed();
      }));
    } catch (error) {
      throw toRefusal(error);
    }
    const expiresAt = ((payload.exp ?? 0) + clockToleranceSeconds) * 1000;
    return { principal: await toPrincipal(payload, entry, parts), expiresAt };
  };
}

const refuse = (problem: string): GatewayError => new GatewayError('authentication', problem);
const refuseUnproven = (problem: string): GatewayError => new UnprovenToken(problem);

function readUnverified(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch {
    throw refuseUnproven('The token is no JWT that can be read');
  }
}

/** The issuer may have an entry for each audience. */
function chooseIssuer(known: readonly KnownIssuer[], { iss, aud }: JWTPayload): KnownIssuer {
  const same = known.filter(({ entry }) => entry.issuer === iss);
  const audiences = new Set([aud ?? []].flat());
  const chosen = same.find(({ entry }) => [entry.audience].flat().some((each) => audiences.has(each))) ?? same[0];
  if (chosen !== undefined) return chosen;
  const who = typeof iss === 'string' ? `"${iss.slice(0, 200)}"` : 'without a name';
  throw refuseUnproven(`The issuer of the token, ${who}, is not known here`);
}

function toRefusal(error: unknown): unknown {
  if (error instanceof GatewayError) return error;
  // Claims are looked at once the signature is found to be good.
  if (error instanceof errors.JWTExpired) return refuse('The token has expired; ask its issuer for a new one');
  if (error instanceof errors.JWTClaimValidationFailed) return refuse(describeClaim(error));
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return refuseUnproven('The token is signed in a way that is not allowed here (`alg`)');
  }
  if (error instanceof errors.JWKSNoMatchingKey) {
    return refuseUnproven('The token is signed with a key that its issuer does not publish');
  }
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return refuseUnproven('The signature of the token is wrong');
  if (error instanceof DOMException) {
    return refuseUnproven('The token is signed with a key that its issuer publishes in a form that cannot be read');
  }
  if (error instanceof errors.JOSEError || error instanceof TypeError) {
    return refuseUnproven('The token is no JWT that can be read');
  }
  return error;
}

function describeClaim({ claim, reason }: errors.JWTClaimValidationFailed): string {
  if (reason === 'missing') return `The token lacks the claim ${claim}`;
  if (claim === 'aud') return 'The token is for another audience (`aud`)';
  if (claim === 'nbf') return 'The token is not valid yet (`nbf`)';
  return `The claim ${claim} of the token is not as it has to be`;
}

async function toPrincipal(payload: JWTPayload, entry: TokenIssuer, parts: TokenParts): Promise<Principal> {
  const { issuer, claims = {}, workspace, limitUsd, limitReset } = entry;
  // Its type is what the issuer has promised, and nobody has checked.
  const sub: unknown = payload.sub;
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT)
    throw refuse(`The claim sub has to be a text of 1 to ${MAX_SUBJECT} characters`);
  const text = (name: string | undefined): string | undefined => {
    const value = readClaim(payload, name);
    if (value === undefined || typeof value === 'string') return value === '' ? undefined : value;
    throw refuse(`The claim ${name ?? ''} of the token has to be a text`);
  };
  // A name of a subject is its issuer's alone.
  const id = `jwt:${(await parts.platform.sha256(JSON.stringify([issuer, sub]))).slice(0, 40)}`;
  return {
    kind: 'api',
    id,
    name: (text(claims.name) ?? sub).slice(0, MAX_NAME),
    userId: await findMemberId(readMember(payload, text(claims.member), claims), parts),
    workspaceId: await findWorkspaceId(text(claims.workspace) ?? workspace, parts),
    limitUsd: readLimit(readClaim(payload, claims.limitUsd), claims.limitUsd) ?? limitUsd ?? null,
    limitReset: readReset(text(claims.limitReset)) ?? limitReset ?? null,
    externalUser: text(claims.externalUser)?.slice(0, 256),
    allowedModels: readModels(findClaim(payload, claims.allowedModels), claims.allowedModels) ?? entry.allowedModels,
    guardrailId: await findGuardrailId(findClaim(payload, claims.guardrail), entry, parts),
  };
}

/** A claim by its name, which may have dots, or else by its path; undefined for none. */
function findClaim(payload: JWTPayload, name: string | undefined): unknown {
  if (name === undefined) return undefined;
  if (Object.hasOwn(payload, name)) return payload[name];
  let value: unknown = payload;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/** The same, where null says no more than a claim that is not there. */
const readClaim = (payload: JWTPayload, name: string | undefined): unknown => findClaim(payload, name) ?? undefined;

/** Anything but a list that can be read is refused: taken as none, it would open every model. */
function readModels(value: unknown, name = ''): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const models: unknown = typeof value === 'string' ? value.split(/[\s,]+/).filter((part) => part !== '') : value;
  const isSlug = (model: unknown): model is string =>
    typeof model === 'string' && model !== '' && model.length <= MAX_SLUG;
  const isWhole = Array.isArray(models) && models.length <= MAX_MODELS && models.every(isSlug);
  if (isWhole && (models.length > 0 || typeof value !== 'string')) return [...new Set(models)];
  throw refuse(`The claim ${name} of the token has to be a list of at most ${MAX_MODELS} slugs of models`);
}

async function findGuardrailId(
  claim: unknown,
  { claims, guardrail: otherwise }: TokenIssuer,
  { store }: TokenParts,
): Promise<string | undefined> {
  if (claim !== undefined && (typeof claim !== 'string' || claim === '')) {
    throw refuse(`The claim ${claims?.guardrail ?? ''} of the token has to be the id or name of a guardrail`);
  }
  const wanted = claim ?? otherwise;
  if (wanted === undefined) return undefined;
  const all = await store.guardrails.list();
  const byId = all.find(({ id }) => id === wanted);
  if (byId !== undefined) return byId.id;
  const [found, other] = all.filter(({ name }) => name === wanted);
  if (found === undefined) throw refuse('The token names a guardrail that does not exist');
  if (other !== undefined) throw refuse('The token names a guardrail by a name that several have; use its id');
  return found.id;
}

function readLimit(value: unknown, name = ''): number | undefined {
  if (value === undefined) return undefined;
  const limit = typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof limit === 'number' && Number.isFinite(limit) && limit >= 0) return limit;
  throw refuse(`The claim ${name} of the token has to be a number of dollars`);
}

function readReset(text: string | undefined): Principal['limitReset'] {
  if (text === undefined || text === 'daily' || text === 'weekly' || text === 'monthly') return text;
  throw refuse('The reset of the limit in the token has to be daily, weekly or monthly');
}

/** Anybody may claim an address that the issuer has not checked. */
function readMember(
  payload: JWTPayload,
  member: string | undefined,
  { member: name }: NonNullable<TokenIssuer['claims']>,
): string | undefined {
  const verified = payload['email_verified'];
  if (member === undefined || name !== 'email' || verified === undefined) return member;
  if (verified === true || verified === 'true') return member;
  throw refuse('The issuer of the token has not checked its e-mail address');
}

async function findMemberId(wanted: string | undefined, { members }: TokenParts): Promise<string | undefined> {
  if (wanted === undefined) return undefined;
  if ((await members.get(wanted)) !== undefined) return wanted;
  const plain = wanted.toLowerCase();
  const found = (await members.list()).filter(
    ({ email, scim }) => scim?.user_name.toLowerCase() === plain || email.toLowerCase() === plain,
  );
  const [member, other] = found;
  if (member !== undefined && other === undefined) return member.id;
  throw refuse('The token names nobody who is a member of this organization');
}

async function findWorkspaceId(wanted: string | undefined, { store }: TokenParts): Promise<string | undefined> {
  if (wanted === undefined || wanted === DEFAULT_WORKSPACE_ID || wanted === 'default') return undefined;
  const found = workspaceNamed(wanted, await store.workspaces.list());
  if (found !== undefined) return found.id;
  throw refuse('The token names a workspace that does not exist');
}
