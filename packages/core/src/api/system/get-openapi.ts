import { z } from 'zod';

import { publicOperation } from '../../http/operation.ts';
import { toJsonResponse } from '../../http/response.ts';
import type { SystemParts } from './system-parts.ts';

/** `GET /openapi.json`: names the address at which it was asked for as the server. */
export const getOpenApi = publicOperation<SystemParts>()({
  response: { mediaTypes: { 'application/json': z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }) } },
  async run({ parts, request }) {
    const document = { ...(await parts.describeApi()), servers: [{ url: request.baseUrl }] };
    return toJsonResponse(200, document);
  },
});
