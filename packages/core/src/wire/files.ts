import { z } from 'zod';

import { pageQuerySchema, wholeNumber } from './fields.ts';

/** What a file is for, in the words of OpenAI's Files API. */
export const FILE_PURPOSES = [
  'assistants',
  'batch',
  'fine-tune',
  'vision',
  'user_data',
  'evals',
  'assistants_output',
  'batch_output',
  'fine-tune-results',
] as const;
export type FilePurpose = (typeof FILE_PURPOSES)[number];

/** Purposes that a caller may give; the others are for files that the gateway makes. */
const UPLOAD_PURPOSES = ['assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals'] as const;

/** A query in which a file belongs to a workspace. */
export const fileQuerySchema = z.object({
  workspace_id: z.string().optional(),
  provider: z.string().optional(),
});

export const fileListQuerySchema = fileQuerySchema.extend({
  limit: wholeNumber(1, 1000).default(100),
  cursor: z.string().optional(),
  page: z.string().optional(),
  after: z.string().optional(),
  after_id: z.string().optional(),
  before_id: z.string().optional(),
  order: z.enum(['asc', 'desc']).optional(),
  purpose: z.string().optional(),
});

const MIN_LIFE_SECONDS = 60 * 60;
const MAX_LIFE_SECONDS = 30 * 24 * MIN_LIFE_SECONDS;

/** The fields of the form beside the file, as OpenAI's clients send them. */
export const fileFieldsSchema = z.strictObject({
  purpose: z.enum(UPLOAD_PURPOSES).default('user_data'),
  'expires_after[anchor]': z.literal('created_at').optional(),
  'expires_after[seconds]': wholeNumber(MIN_LIFE_SECONDS, MAX_LIFE_SECONDS).optional(),
});

/** The whole form, for the OpenAPI document. */
export const fileFormSchema = fileFieldsSchema.extend({
  file: z.string().meta({ format: 'binary' }),
});

const anthropicFields = {
  id: z.string(),
  type: z.literal('file'),
  filename: z.string(),
  mime_type: z.string(),
  size_bytes: z.int(),
  created_at: z.string(),
  downloadable: z.boolean(),
};

const openRouterFileSchema = z.object({
  _shape: z.literal('openrouter'),
  ...anthropicFields,
  expires_at: z.string().optional(),
});

const anthropicFileSchema = z.object({ _shape: z.literal('anthropic'), ...anthropicFields });

const openAiFileSchema = z.object({
  _shape: z.literal('openai'),
  id: z.string(),
  object: z.literal('file'),
  bytes: z.int(),
  created_at: z.int(),
  filename: z.string(),
  purpose: z.enum(FILE_PURPOSES),
  status: z.literal('processed'),
  expires_at: z.int().optional(),
});

const pageFields = {
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
};

/** The three shapes, of which the client gets its own. */
export const fileSchema = z.union([openRouterFileSchema, openAiFileSchema, anthropicFileSchema]);

export const fileListSchema = z.union([
  z.object({
    _shape: z.literal('openrouter'),
    data: z.array(openRouterFileSchema),
    ...pageFields,
    cursor: z.string().nullable(),
  }),
  z.object({
    _shape: z.literal('openai'),
    object: z.literal('list'),
    data: z.array(openAiFileSchema),
    ...pageFields,
  }),
  z.object({
    _shape: z.literal('anthropic'),
    data: z.array(anthropicFileSchema),
    ...pageFields,
    /** Later clients page by it. */
    next_page: z.string().nullable(),
  }),
]);

export const fileDeletedSchema = z.union([
  z.object({ _shape: z.literal('openrouter'), id: z.string(), type: z.literal('file_deleted') }),
  z.object({ _shape: z.literal('openai'), id: z.string(), object: z.literal('file'), deleted: z.literal(true) }),
  z.object({ _shape: z.literal('anthropic'), id: z.string(), type: z.literal('file_deleted') }),
]);

const originSchema = z.enum(['uploaded', 'generated']);

/** The query of `GET /admin/v1/files`: each member narrows the list. */
export const storedFileListQuerySchema = pageQuerySchema.extend({
  workspace_id: z.string().optional(),
  key_hash: z.string().optional(),
  purpose: z.enum(FILE_PURPOSES).optional(),
  origin: originSchema.optional(),
  /** A part of the name, or the id; in any case. */
  text: z.string().max(200).optional(),
});

/** A file as management sees it. */
const storedFileSchema = z.object({
  id: z.string(),
  workspace_id: z.string(),
  filename: z.string(),
  mime_type: z.string(),
  size_bytes: z.int(),
  purpose: z.enum(FILE_PURPOSES),
  /** `generated`: the gateway made it, as the results of a batch. */
  origin: originSchema,
  /** The hash of the key that uploaded it, or for which it was made. */
  key_hash: z.string(),
  /** Null for a key that is not stored. */
  key_name: z.string().nullable(),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  /** Whether `GET /files/{file_id}/content` gives its bytes. */
  downloadable: z.boolean(),
});

export const storedFileListSchema = z.object({
  data: z.array(storedFileSchema),
  total_count: z.int(),
  /** The bytes of all files that the query matches, not of the page alone. */
  total_bytes: z.int(),
});

export type StoredFileRow = z.infer<typeof storedFileSchema>;
export type StoredFileList = z.infer<typeof storedFileListSchema>;
export type FileResponse = z.infer<typeof fileSchema>;
export type FileListResponse = z.infer<typeof fileListSchema>;
export type FileDeletedResponse = z.infer<typeof fileDeletedSchema>;
