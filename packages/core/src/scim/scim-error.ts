import { GatewayError } from '../foundation/errors.ts';
import type { ErrorForm } from '../http/response.ts';

/** The names of RFC 7644, section 3.12, that are used here. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'uniqueness';

/** The media type of everything that SCIM sends. */
export const SCIM_TYPE = 'application/scim+json';

const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** What is wrong with a request, by the name that directories know. */
export const refuseScim = (scimType: ScimType, detail: string): GatewayError =>
  new GatewayError(scimType === 'uniqueness' ? 'conflict' : 'invalid_request', detail, { metadata: { scimType } });

/** `If-Match` names another version than the present one. */
export const refuseStale = (): GatewayError =>
  new GatewayError('conflict', 'The resource has changed since; read it again, then repeat the change', {
    metadata: { scimStatus: 412 },
  });

/** Errors in the form of RFC 7644: the status is a text. */
export const scimErrors: ErrorForm = {
  mediaType: SCIM_TYPE,
  toResponse({ code, status: own, message, metadata = {} }) {
    const status = typeof metadata['scimStatus'] === 'number' ? metadata['scimStatus'] : own;
    const scimType = metadata['scimType'] ?? (code === 'invalid_request' ? 'invalidSyntax' : undefined);
    const detail = code === 'internal' ? 'Internal Server Error' : message;
    return {
      status,
      body: { schemas: [ERROR_SCHEMA], status: String(status), ...(scimType !== undefined && { scimType }), detail },
    };
  },
  schema: {
    title: 'ScimError',
    type: 'object',
    properties: {
      schemas: { type: 'array', items: { const: ERROR_SCHEMA } },
      status: { type: 'string' },
      scimType: { type: 'string' },
      detail: { type: 'string' },
    },
    required: ['schemas', 'status', 'detail'],
  },
};
