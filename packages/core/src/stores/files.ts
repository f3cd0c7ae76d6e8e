import type { Awaitable } from '../foundation/awaitable.ts';
import type { FilePurpose } from '../wire/files.ts';
import type { Repository } from './rows.ts';

/** What is known of stored files; their contents are elsewhere. The narrower question is absent where the rows are in memory. */
export interface FileRepository extends Repository<StoredFile> {
  /** Those of one workspace, oldest first. */
  listOf?(workspaceId: string): Awaitable<readonly StoredFile[]>;
}

/** A stored file. It never changes. */
export interface StoredFile {
  readonly id: string;
  readonly workspaceId: string;
  readonly filename: string;
  readonly mimeType: string;
  readonly bytes: number;
  readonly purpose: FilePurpose;
  /** `generated`: the gateway made it, as the results of a batch. */
  readonly origin: 'uploaded' | 'generated';
  /** `Principal.id` of who uploaded it, or for whom it was made. */
  readonly createdBy: string;
  /** ISO 8601 in UTC, as `expiresAt`. */
  readonly createdAt: string;
  /** Null: it is stored until it is deleted. */
  readonly expiresAt: string | null;
  /** The name of its content in the storage of files, which several files may share. */
  readonly content: string;
}

/** The files of a workspace, oldest first. */
export async function listFilesOf(workspaceId: string, files: FileRepository): Promise<readonly StoredFile[]> {
  if (files.listOf !== undefined) return files.listOf(workspaceId);
  return (await files.list()).filter((file) => file.workspaceId === workspaceId);
}
