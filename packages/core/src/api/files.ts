import { chooseOwnWorkspaceId } from '../account/workspaces.ts';
import type { FileLibrary, ReceivedContent } from '../files/file-library.ts';
import {
  toDeletedFile,
  toFileCursor,
  toFilePage,
  toFileResponse,
  shapeOf,
  readFileCursor,
} from '../files/file-shapes.ts';
import { GatewayError } from '../foundation/errors.ts';
import { parseWith } from '../foundation/parse.ts';
import { type FormFile, readForm, toObject } from '../http/multipart.ts';
import { operation } from '../http/operation.ts';
import type { RequestContext } from '../http/request.ts';
import type { StoredFile } from '../stores/files.ts';
import type { Store } from '../stores/store.ts';
import { deletedSchema, refuseField, toPage } from '../wire/fields.ts';
import {
  fileDeletedSchema,
  fileFieldsSchema,
  fileFormSchema,
  fileListQuerySchema,
  fileListSchema,
  fileQuerySchema,
  fileSchema,
  storedFileListQuerySchema,
  storedFileListSchema,
  type StoredFileRow,
} from '../wire/files.ts';

export interface FileParts {
  readonly store: Pick<Store, 'keys' | 'workspaces'>;
  /** Null where no files are stored. */
  readonly files: FileLibrary | null;
}

const HEADERS = {
  'anthropic-version': 'With it the response has the shape of the Anthropic API',
  'anthropic-beta': 'Means the same',
  'user-agent': 'Clients of OpenAI are told by it and get the shape of the OpenAI API',
};

/** Room in the form for its other fields. */
const FORM_BYTES = 64 * 1024;

/** `POST /files`: stores a file of a form while it comes in. */
export const uploadFile = operation<FileParts>()({
  // Where no files are stored.
  errors: ['not_found'],
  query: fileQuerySchema,
  headers: HEADERS,
  body: { readByRun: fileFormSchema, mediaType: 'multipart/form-data' },
  response: fileSchema,
  async run({ request, parts, principal, query }) {
    const { files, workspaceId } = await enter({ parts, principal, query });
    await files.refuseWithoutRoom(workspaceId);
    let filename: string | undefined;
    const take = (file: FormFile): Promise<ReceivedContent> => {
      if (file.field !== 'file') throw refuseField(file.field, 'is not a known field; send the file as "file"');
      if (filename !== undefined) throw refuseField('file', 'must be one file');
      filename = toFilename(file.filename);
      return files.receive(file.pieces);
    };
    const form = await readForm(request, files.maxBytes + FORM_BYTES, take);
    const [received] = form.files;
    if (received === undefined) throw refuseField('file', 'is missing');
    const fields = parseWith(fileFieldsSchema, toObject(form.fields));
    const stored = await files.add({
      ...received.file,
      workspaceId,
      filename: filename ?? 'file',
      purpose: fields.purpose,
      origin: 'uploaded',
      createdBy: principal.id,
      livesSeconds: fields['expires_after[seconds]'] ?? null,
    });
    return toFileResponse(stored, shapeOf(request, form.fields.has('purpose')), files);
  },
});

const MAX_FILENAME = 255;

/** The name alone, without folders of the client's disk. */
function toFilename(name: string | undefined): string {
  const last = (name ?? '').split(/[/\\]/).at(-1) ?? '';
  // Control characters would end up in a header.
  const plain = last.replaceAll(/\p{Cc}/gu, '').trim();
  return plain === '' || plain === '.' || plain === '..' ? 'file' : plain.slice(0, MAX_FILENAME);
}

/** `GET /files`: the files of the workspace, oldest first unless the order says otherwise. */
export const listFiles = operation<FileParts>()({
  // Where no files are stored.
  errors: ['not_found'],
  query: fileListQuerySchema,
  headers: HEADERS,
  response: fileListSchema,
  async run({ request, parts, principal, query }) {
    const { files, workspaceId } = await enter({ parts, principal, query });
    if (query.before_id !== undefined) throw refuseField('before_id', 'is not available; page with after_id');
    const all = await files.list(workspaceId);
    const chosen = query.purpose === undefined ? all : all.filter(({ purpose }) => purpose === query.purpose);
    const ordered = query.order === 'desc' ? chosen.toReversed() : chosen;
    const rest = ordered.slice(findStart(ordered, { ...query, cursor: query.cursor ?? query.page }));
    const page = rest.slice(0, query.limit);
    const last = page.at(-1);
    const hasMore = rest.length > page.length;
    const cursor = hasMore && last !== undefined ? toFileCursor(last) : null;
    return toFilePage(page, { hasMore, cursor }, shapeOf(request, query.after !== undefined), files);
  },
});

interface Place {
  readonly cursor?: string | undefined;
  readonly after?: string | undefined;
  readonly after_id?: string | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
}

function findStart(files: readonly StoredFile[], { cursor, after, after_id: afterId, order }: Place): number {
  if (cursor !== undefined) {
    const place = readFileCursor(cursor);
    const at = files.findIndex(({ id }) => id === place.id);
    if (at !== -1) return at + 1;
    // It was deleted meanwhile.
    const isBehind = ({ createdAt }: StoredFile): boolean =>
      order === 'desc' ? createdAt < place.createdAt : createdAt > place.createdAt;
    const next = files.findIndex(isBehind);
    return next === -1 ? files.length : next;
  }
  const id = after ?? afterId;
  if (id === undefined) return 0;
  const at = files.findIndex((file) => file.id === id);
  if (at === -1) throw refuseField(after === undefined ? 'after_id' : 'after', 'is not the id of a file of the list');
  return at + 1;
}

/** `GET /files/{file_id}`: what is known of a file. */
export const getFile = operation<FileParts>()({
  params: ['file_id'],
  query: fileQuerySchema,
  headers: HEADERS,
  response: fileSchema,
  async run({ request, parts, principal, query, params }) {
    const { files, workspaceId } = await enter({ parts, principal, query });
    return toFileResponse(await files.find(params.file_id, workspaceId), shapeOf(request), files);
  },
});

/** `DELETE /files/{file_id}`: at once for everyone; its bytes go within two hours. */
export const deleteFile = operation<FileParts>()({
  params: ['file_id'],
  query: fileQuerySchema,
  headers: HEADERS,
  response: fileDeletedSchema,
  async run({ request, parts, principal, query, params }) {
    const { files, workspaceId } = await enter({ parts, principal, query });
    await files.remove(params.file_id, workspaceId);
    return toDeletedFile(params.file_id, shapeOf(request));
  },
});

/** `GET /files/{file_id}/content`: the bytes of a file that the gateway made; of an upload where the operator allows it. */
export const getFileContent = operation<FileParts>()({
  params: ['file_id'],
  query: fileQuerySchema,
  response: { mediaTypes: { 'application/octet-stream': null } },
  responseHeaders: {
    'content-length': 'Length in bytes',
    'content-disposition': 'The name of the file',
    'cache-control': 'Nobody may keep it',
  },
  async run({ request, parts, principal, query, params }) {
    const { files, workspaceId } = await enter({ parts, principal, query });
    const file = await files.find(params.file_id, workspaceId);
    if (!files.isDownloadable(file)) {
      throw new GatewayError('invalid_request', 'Uploaded files cannot be downloaded; only generated files can');
    }
    const content = await files.open(file);
    return {
      status: 200,
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(content.bytes),
        'content-disposition': `attachment; filename*=UTF-8''${encodeName(file.filename)}`,
        'cache-control': 'private, no-store',
      },
      body: request.method === 'HEAD' ? null : content.read(),
    };
  },
});

/** As RFC 5987 has it, which allows fewer characters than addresses do. A lone half of a pair has no UTF-8. */
const encodeName = (name: string): string =>
  encodeURIComponent(name.replaceAll(/\p{Surrogate}/gu, '\ufffd')).replaceAll(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16)}`,
  );

interface Entered {
  readonly files: FileLibrary;
  readonly workspaceId: string;
}

/** The library and the workspace of a request: of the caller's key, or the one that a management key names. */
async function enter({
  parts,
  principal,
  query,
}: Pick<RequestContext<FileParts>, 'parts' | 'principal'> & {
  readonly query: { readonly workspace_id?: string | undefined; readonly provider?: string | undefined };
}): Promise<Entered> {
  const files = libraryOf(parts);
  if (query.provider !== undefined) throw refuseField('provider', 'is not available: files are stored by the gateway');
  return { files, workspaceId: await chooseOwnWorkspaceId(query.workspace_id, { parts, principal }) };
}

function libraryOf({ files }: FileParts): FileLibrary {
  if (files !== null) return files;
  throw new GatewayError('not_found', 'This gateway stores no files; its operator can set that up');
}

/** `GET /admin/v1/files`: the files of all workspaces, newest first. */
export const listAllFiles = operation<FileParts>()({
  // Where no files are stored.
  errors: ['not_found'],
  query: storedFileListQuerySchema,
  response: storedFileListSchema,
  async run({ parts, query }) {
    const files = libraryOf(parts);
    const { workspace_id: workspaceId = null, key_hash: keyHash, purpose, origin, text } = query;
    const sought = text?.toLowerCase();
    const found = (await files.list(workspaceId)).filter(
      (file) =>
        (keyHash === undefined || file.createdBy === keyHash) &&
        (purpose === undefined || file.purpose === purpose) &&
        (origin === undefined || file.origin === origin) &&
        (sought === undefined || file.id === text || file.filename.toLowerCase().includes(sought)),
    );
    const { data, total_count } = toPage(found.toReversed(), query);
    const rows = await Promise.all(data.map((file) => toRow(file, files, parts)));
    return { data: rows, total_count, total_bytes: found.reduce((sum, { bytes }) => sum + bytes, 0) };
  },
});

async function toRow(file: StoredFile, files: FileLibrary, { store }: FileParts): Promise<StoredFileRow> {
  return {
    id: file.id,
    workspace_id: file.workspaceId,
    filename: file.filename,
    mime_type: file.mimeType,
    size_bytes: file.bytes,
    purpose: file.purpose,
    origin: file.origin,
    key_hash: file.createdBy,
    key_name: (await store.keys.get(file.createdBy))?.name ?? null,
    created_at: file.createdAt,
    expires_at: file.expiresAt,
    downloadable: files.isDownloadable(file),
  };
}

/** `DELETE /admin/v1/files/{file_id}`: a file of any workspace. */
export const deleteAnyFile = operation<FileParts>()({
  params: ['file_id'],
  response: deletedSchema,
  async run({ parts, params }) {
    await libraryOf(parts).remove(params.file_id, null);
    return { deleted: true };
  },
});
