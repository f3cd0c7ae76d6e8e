import type { Route } from '../../http/route.ts';
import type { EmbeddingsParts } from './embeddings-parts.ts';

/** Vectors of texts. */
export const EMBEDDINGS_ROUTES: readonly Route<EmbeddingsParts>[] = [
  {
    method: 'POST',
    path: '/api/v1/embeddings',
    surface: 'api',
    auth: 'api',
    operationId: 'createEmbeddings',
    summary: 'Create embeddings of one text or several',
    load: async () => (await import('./create-embeddings.ts')).createEmbeddings,
  },
];
