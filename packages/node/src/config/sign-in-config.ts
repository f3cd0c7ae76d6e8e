import { isIP } from 'node:net';

import { DEFAULT_CLAIMS, secretText } from '@model-gateway/core';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

import { isLoopbackHost } from '../http/guard-request.ts';

const isAddressRange = (text: string): boolean =>
  isIP(text) !== 0 || (isIP(text.replace(/\/\d{1,3}$/, '')) !== 0 && ipaddr.isValidCIDR(text));

/** An address, or a range of addresses. */
export const addressRange = z.string().refine(isAddressRange, 'must be an IP address or range, e.g. "10.0.0.0/8"');

const role = z.enum(['owner', 'administrator', 'billing', 'developer', 'viewer']);

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

const oidcSchema = z.strictObject({
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
        role: role.optional(),
        workspaces: z.record(z.string(), z.enum(['administrator', 'member', 'viewer'])).optional(),
      }),
    )
    .default({})
    .describe('What groups give: a role in the organization, and roles in workspaces by slug or id'),
  defaultRole: role
    .optional()
    .describe('Role of people whose groups give none. Default: refused where a group gives a role, else developer'),
  allowedDomains: z
    .array(z.string().regex(/^[^@\s/]+\.[^@\s/]+$/, 'must be a domain, e.g. "example.com"'))
    .default([])
    .describe('Domains of email addresses that may sign in; none listed admits all'),
  firstOwner: z.email().optional().describe('Email address of the person who becomes the owner while there is none'),
});
