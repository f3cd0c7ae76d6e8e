import type { RequestContext } from '../context.ts';
import { GatewayError } from '../errors.ts';
import { exportGenerations as writeGenerations } from '../generations/export-generations.ts';
import { toGenerationFilter } from '../generations/list-generations.ts';
import type { GatewayResponse } from '../response.ts';
import { generationExportQuerySchema } from '../schemas/generation-list.ts';
import { readQuery } from '../schemas/page-query.ts';

const TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const;

/** `GET /admin/v1/generations/export`: everything that is asked for, as a file. */
export async function exportGenerations({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  const { format, content, text, ...query } = readQuery(generationExportQuerySchema, request.query);
  if (format === 'csv' && content === 'true') {
    throw new GatewayError('invalid_request', 'content: is not available in csv; ask for format=ndjson');
  }
  const filter = toGenerationFilter(query, runtime);
  const { signal } = request;
  return {
    status: 200,
    headers: {
      'content-type': TYPES[format],
      'content-disposition': `attachment; filename="generations.${format}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
    body: writeGenerations({ filter, text, format, withContent: content === 'true', signal }, runtime),
  };
}
