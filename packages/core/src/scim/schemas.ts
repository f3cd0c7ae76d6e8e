import { GROUP_SCHEMA } from './groups.ts';
import { USER_SCHEMA } from './users.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0';

/** What the server can do (RFC 7643, section 5). `base`: the address of `/scim/v2`. */
export const toProviderConfig = (base: string): Record<string, unknown> => ({
  schemas: [`${CORE}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_RESULTS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The token of scim.token in the configuration of the gateway',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
});

/** The most resources of one page. */
export const MAX_RESULTS = 1000;

const TYPES = [
  { name: 'User', endpoint: '/Users', description: 'A member of the gateway', schema: USER_SCHEMA },
  { name: 'Group', endpoint: '/Groups', description: 'A group of members', schema: GROUP_SCHEMA },
] as const;

/** The kinds of resources (RFC 7643, section 6). */
export const toResourceTypes = (base: string): readonly Record<string, unknown>[] =>
  TYPES.map((type) => ({
    schemas: [`${CORE}:ResourceType`],
    id: type.name,
    ...type,
    schemaExtensions: [],
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${type.name}` },
  }));

interface Traits {
  readonly type?: 'string' | 'boolean' | 'complex' | 'reference';
  readonly required?: boolean;
  readonly multiValued?: boolean;
  readonly caseExact?: boolean;
  readonly mutability?: 'readWrite' | 'readOnly' | 'immutable';
  readonly uniqueness?: 'none' | 'server';
  readonly subAttributes?: readonly Record<string, unknown>[];
}

const toAttribute = (name: string, description: string, traits: Traits = {}): Record<string, unknown> => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...traits,
});

const EXTERNAL_ID = toAttribute('externalId', 'The id in the directory', { caseExact: true });

const SCHEMAS = [
  {
    id: USER_SCHEMA,
    name: 'User',
    description: 'A member of the gateway. Other attributes of the core schema are taken and not kept.',
    attributes: [
      toAttribute('userName', 'The name that tells the user from others', { required: true, uniqueness: 'server' }),
      EXTERNAL_ID,
      toAttribute('name', 'First and last name', {
        type: 'complex',
        subAttributes: [
          toAttribute('formatted', 'Both', { mutability: 'readOnly' }),
          toAttribute('givenName', 'First name'),
          toAttribute('familyName', 'Last name'),
        ],
      }),
      toAttribute('displayName', 'The name to show'),
      toAttribute('emails', 'One address: the primary one, else that of work', {
        type: 'complex',
        multiValued: true,
        subAttributes: [
          toAttribute('value', 'The address'),
          toAttribute('type', 'Always work'),
          toAttribute('primary', 'Always true', { type: 'boolean' }),
        ],
      }),
      toAttribute('active', 'False: keys are disabled and sessions end', { type: 'boolean' }),
      toAttribute('roles', 'Names that give a role in the organization', {
        type: 'complex',
        multiValued: true,
        subAttributes: [toAttribute('value', 'The name of the role')],
      }),
      toAttribute('groups', 'Groups that have the user', {
        type: 'complex',
        multiValued: true,
        mutability: 'readOnly',
        subAttributes: [
          toAttribute('value', 'The id of the group', { mutability: 'readOnly', caseExact: true }),
          toAttribute('display', 'Its name', { mutability: 'readOnly' }),
        ],
      }),
    ],
  },
  {
    id: GROUP_SCHEMA,
    name: 'Group',
    description: 'A group of members, which mappings put into workspaces',
    attributes: [
      toAttribute('displayName', 'The name of the group', { required: true, uniqueness: 'server' }),
      EXTERNAL_ID,
      toAttribute('members', 'Users in the group', {
        type: 'complex',
        multiValued: true,
        subAttributes: [
          toAttribute('value', 'The id of the user', { mutability: 'immutable', caseExact: true }),
          toAttribute('display', 'The name of the user', { mutability: 'readOnly' }),
        ],
      }),
    ],
  },
] as const;

/** The attributes that are kept (RFC 7643, section 7). */
export const toSchemas = (base: string): readonly Record<string, unknown>[] =>
  SCHEMAS.map((schema) => ({
    schemas: [`${CORE}:Schema`],
    ...schema,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }));
