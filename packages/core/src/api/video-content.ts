import { z } from 'zod';

import { GatewayError } from '../foundation/errors.ts';
import { operation } from '../http/operation.ts';
import { firstValue, type GatewayRequest } from '../http/request.ts';
import { type GatewayResponse, SANDBOXED } from '../http/response.ts';
import type { VideoContent } from '../providers/video-contract.ts';
import type { VideoJob } from '../stores/video-jobs.ts';
import { openUpstreamVideo } from '../videos/poll.ts';
import { toArchiveName, toArchivedResponse } from '../videos/video-archive.ts';
import { nullableParameter } from '../wire/fields.ts';
import { findReadableJob, type VideoParts } from './videos.ts';

const videoContentQuerySchema = z.object({
  index: nullableParameter(
    z
      .string()
      .regex(/^\d{1,4}$/, 'must be a whole number from 0')
      .default('0'),
  ),
});

const HANDED_ON = ['content-type', 'content-length', 'content-range', 'accept-ranges'];

/**
 * `GET` and `HEAD /videos/{jobId}/content`: the bytes of a finished video, from the archive or upstream. It never
 * changes, so its tag is its name, and a client that has it receives 304 without a call to upstream.
 */
export const getVideoContent = operation<VideoParts>()({
  params: ['jobId'],
  query: videoContentQuerySchema,
  headers: {
    range: 'The requested bytes',
    'if-range': 'Tag or date of the version of which `Range` wants a part',
    'if-none-match': 'Tags of versions that the client has',
    'if-modified-since': 'Date of the version that the client has',
  },
  response: { mediaTypes: { 'video/*': null, 'audio/*': null, 'image/*': null, 'application/octet-stream': null } },
  responseHeaders: {
    etag: 'Tag of the video, which never changes',
    'last-modified': 'When the job ended',
    'cache-control': 'The client alone may keep it, for a year',
    'content-security-policy': 'A browser that opens it as a page runs nothing',
    'accept-ranges': '`bytes`',
    'content-length': 'Length in bytes, where it is known',
    'content-range': 'With 206 and 416: which bytes of how many',
  },
  otherStatuses: {
    206: 'The requested bytes',
    304: 'The client has this version already',
    416: 'The video has no such bytes',
  },
  errors: ['gone', 'provider_unavailable'],
  async run(context) {
    const { request, parts, query } = context;
    const job = await findReadableJob(context.params.jobId, context);
    const index = Number(query.index);
    checkOutput(job, index);
    const stable = {
      etag: `"${job.id}-${index}"`,
      'last-modified': new Date(job.updatedAt).toUTCString(),
      'cache-control': 'private, max-age=31536000, immutable',
    };
    if (isFresh(request, stable.etag, job.updatedAt)) return { status: 304, headers: stable, body: null };
    const range = rangeOf(request, stable);
    const archived = await parts.videos.archive?.find(toArchiveName(job.id, index));
    if (archived !== undefined) return withHeaders(toArchivedResponse(archived, range), stable);
    const headers: Record<string, string> = range === undefined ? {} : { range };
    const content = await openUpstreamVideo(job, { index, headers, signal: request.signal }, parts);
    const head = { status: content.status, headers: handOn(content) };
    if (request.method !== 'HEAD') return withHeaders({ ...head, body: content.body }, stable);
    // Signed addresses are often good for GET alone.
    await content.body[Symbol.asyncIterator]().return?.();
    return withHeaders({ ...head, body: null }, stable);
  },
});

const withHeaders = (response: GatewayResponse, stable: Readonly<Record<string, string>>): GatewayResponse => ({
  ...response,
  headers: { ...stable, ...response.headers, ...SANDBOXED },
});

function checkOutput(job: VideoJob, index: number): void {
  if (job.status !== 'completed') {
    const isOpen = job.status === 'pending' || job.status === 'in_progress';
    const hint = isOpen ? `it is ${job.status}; ask again when it is completed` : `the job is ${job.status}`;
    throw new GatewayError('invalid_request', `The video is not available yet: ${hint}`);
  }
  if (index < job.outputs.length) return;
  throw new GatewayError('not_found', `index: the job has ${job.outputs.length} video(s), counted from 0`);
}

function isFresh({ headers }: GatewayRequest, etag: string, modifiedAt: number): boolean {
  const known = firstValue(headers['if-none-match']);
  if (known !== undefined)
    return known === '*' || known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  const since = Date.parse(firstValue(headers['if-modified-since']) ?? '');
  // The header counts in whole seconds.
  return Number.isFinite(since) && Math.floor(modifiedAt / 1000) * 1000 <= since;
}

function handOn({ headers }: VideoContent): Record<string, string> {
  const own: Record<string, string> = { 'accept-ranges': 'bytes' };
  for (const name of HANDED_ON) if (headers[name] !== undefined) own[name] = headers[name];
  return own;
}

/** A range of another version than the one there is means the whole (RFC 9110, If-Range); this one has no other. */
function rangeOf({ headers }: GatewayRequest, stable: Readonly<Record<string, string>>): string | undefined {
  const condition = firstValue(headers['if-range']);
  const isOfThis = condition === undefined || condition === stable['etag'] || condition === stable['last-modified'];
  return isOfThis ? firstValue(headers['range']) : undefined;
}
