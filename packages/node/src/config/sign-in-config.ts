import { isIP } from 'node:net';

import { DEFAULT_CLAIMS, TOKEN_ALGORITHMS } from '@model-gateway/core';
import * as z from '@model-gateway/core/foundation/zod';
import { httpUrlSchema, secretText } from '@model-gateway/core/setup';
import ipaddr from 'ipaddr.js';

import { isLoopbackHost } from '../http/guard-request.ts';

const isAddressRange = (text: string): boolean =>
  isIP(text) !== 0 || (isIP(text.replace(/\/\d{1,3}$/, '')) !== 0 && ipaddr.isValidCIDR(text));

/** An address, or a range of addresses. */
export const addressRange = z.string().refine(isAddressRange, 'must be an IP address or range, e.g. "10.0.0.0/8"');

/** A role in the organization. */
export const roleSchema = z.enum(['owner', 'administrator', 'billing', 'developer', 'viewer']);

const headerName = z
  .string()
  .regex(/^[\w-]{1,100}$/, 'must be the name of a header, e.g. "X-Forwarded-User"')
  .transform((name) => name.toLowerCase());

const claimName = (fallback: string) => z.string().min(1).max(200).default(fallback);

/** Tokens must not be read on their way, but on this machine nobody is on the way. */
function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
}

/** A provider of identity that speaks OpenID Connect. */
export const oidcSchema = z.strictObject({
  issuer: z
    .string()
    .refine(isIssuer, 'must be an https address, e.g. "https://login.example/realms/staff"; http on this machine only')
    .describe('Address of the provider, as its tokens write it'),
  clientId: z.string().min(1).describe('Id of the client that the gateway is at the provider'),
  clientSecret: secretText('Client secret').optional().describe('Default: none, for a public client'),
  clientAuthentication: z.enum(['basic', 'post']).default('basic').describe('How the secret is sent'),
  label: z.string().trim().min(1).max(60).default('OpenID Connect').describe('The button says: Continue with <label>'),
  scopes: z
    .array(z.string().regex(/^\S+$/, 'must be a scope, without spaces'))
    .refine((scopes) => scopes.includes('openid'), 'must contain "openid"')
    .default(['openid', 'profile', 'email', 'offline_access'])
    .describe('offline_access lets the gateway ask again whether a user is still there'),
  prompt: z
    .enum(['login', 'consent', 'select_account'])
    .optional()
    .describe('What the provider asks of those who are signed in there; some give a refresh token after consent alone'),
  claims: z
    .strictObject({
      user: claimName(DEFAULT_CLAIMS.user).describe('Id of the member; sub makes an id of the issuer and the subject'),
      email: claimName(DEFAULT_CLAIMS.email),
      name: claimName(DEFAULT_CLAIMS.name),
      groups: claimName(DEFAULT_CLAIMS.groups),
    })
    .prefault({})
    .describe('Names of claims; a dot leads into an object, as in realm_access.roles'),
  refreshMinutes: z
    .number()
    .min(1)
    .max(720)
    .default(15)
    .describe('After so many minutes a session that is used asks the provider again'),
});

const proxySchema = z.strictObject({
  header: headerName.describe('Header with the id of the member'),
  emailHeader: headerName.optional(),
  nameHeader: headerName.optional(),
  groupsHeader: headerName.optional().describe('Header with groups, separated by commas'),
  trustedAddresses: z
    .array(addressRange)
    .min(1)
    .describe('Addresses of the proxy itself: from all others the headers are ignored'),
});

/** How members sign in as themselves, beside one-time links and management keys. */
export const signInSchema = z.strictObject({
  oidc: oidcSchema.nullable().default(null).describe('A provider of identity that speaks OpenID Connect'),
  proxy: proxySchema.nullable().default(null).describe('A proxy that signs people in, and names them in headers'),
  groups: z
    .record(
      z.string(),
      z.strictObject({
        role: roleSchema.optional(),
        workspaces: z.record(z.string(), z.enum(['administrator', 'member', 'viewer'])).optional(),
      }),
    )
    .default({})
    .describe('What groups give: a role in the organization, and roles in workspaces by slug or id'),
  defaultRole: roleSchema
    .optional()
    .describe('Role of people whose groups give none. Default: refused where a group gives a role, else developer'),
  allowedDomains: z
    .array(z.string().regex(/^[^@\s/]+\.[^@\s/]+$/, 'must be a domain, e.g. "example.com"'))
    .default([])
    .describe('Domains of email addresses that may sign in; none listed admits all'),
  firstOwner: z.email().optional().describe('Email address of the person who becomes the owner while there is none'),
});

const claim = (what: string) =>
  z.string().min(1).max(200).optional().describe(`Name of the claim, or path to it with dots: ${what}`);

/** An issuer whose JWTs are taken in the place of API keys, as the config file has it. */
export const tokenIssuerSchema = z.strictObject({
  issuer: httpUrlSchema.describe('The claim iss, letter by letter; discovery begins there unless jwksUrl is set'),
  audience: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .describe('One of these has to be in the claim aud'),
  jwksUrl: httpUrlSchema.optional().describe('Where the public keys are; not set: what discovery says'),
  algorithms: z
    .array(z.enum(TOKEN_ALGORITHMS))
    .min(1)
    .default(['RS256', 'PS256', 'ES256', 'EdDSA'])
    .describe('Ways to sign that are taken'),
  clockToleranceSeconds: z.int().min(0).max(600).default(30).describe("How far the issuer's clock may be off"),
  claims: z
    .strictObject({
      member: claim('the id, userName or e-mail address of a member, who has to be active'),
      workspace: claim('the id or slug of the workspace'),
      limitUsd: claim('the limit in dollars'),
      limitReset: claim('daily, weekly or monthly'),
      allowedModels: claim('a list of slugs of models, or a text with spaces or commas between them'),
      guardrail: claim('the id or name of a guardrail, which holds as one that is assigned to an API key does'),
      externalUser: claim('the external_user of calls that name none'),
      name: claim('the name to show; not set: sub'),
    })
    .prefault({}),
  workspace: z.string().min(1).optional().describe('Id or slug, where the token says none'),
  limitUsd: z.number().min(0).optional().describe('Limit of each subject in dollars, where the token says none'),
  limitReset: z
    .enum(['daily', 'weekly', 'monthly'])
    .optional()
    .describe('When limits begin anew, where the token says nothing; not set: never'),
  allowedModels: z
    .array(z.string().min(1).max(200))
    .optional()
    .describe('Slugs of the only models that may be called, where the token says none; not set: all'),
  guardrail: z.string().min(1).optional().describe('Id or name of a guardrail, where the token says none'),
});
