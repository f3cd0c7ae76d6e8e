import { z } from 'zod';

import { publicOperation } from '../../http/operation.ts';
import type { SystemParts } from './system-parts.ts';

/** `GET /openapi.json` */
export const getOpenApi = publicOperation<SystemParts>()({
  response: { mediaTypes: { 'application/json': z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }) } },
  async run({ parts }) {
    return { status: 200, headers: { 'content-type': 'application/json' }, body: await parts.describeApi() };
  },
});
