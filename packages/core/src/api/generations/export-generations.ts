import { exportGenerations as writeGenerations } from '../../generations/export-generations.ts';
import { toGenerationFilter } from '../../generations/list-generations.ts';
import { operation } from '../../http/operation.ts';
import { refuseField } from '../../wire/fields.ts';
import { exportedGenerationSchema, generationExportQuerySchema } from '../../wire/generation-list.ts';
import type { GenerationParts } from './generation-parts.ts';

const TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const;

/** `GET /admin/v1/generations/export`: writes all generations that match the query to a file. */
export const exportGenerations = operation<GenerationParts>()({
  query: generationExportQuerySchema,
  response: { mediaTypes: { 'application/x-ndjson': exportedGenerationSchema, 'text/csv': null } },
  responseHeaders: { 'content-disposition': 'The name of the file', 'cache-control': '`no-store`' },
  run({ request, parts, query: { format, content, text, ...query } }) {
    if (format === 'csv' && content === 'true') {
      throw refuseField('content', 'is not available in csv; ask for format=ndjson');
    }
    const filter = toGenerationFilter(query, parts);
    const { signal } = request;
    return {
      status: 200,
      headers: {
        'content-type': TYPES[format],
        'content-disposition': `attachment; filename="generations.${format}"`,
        'cache-control': 'no-store',
      },
      body: writeGenerations({ filter, text, format, withContent: content === 'true', signal }, parts),
    };
  },
});
