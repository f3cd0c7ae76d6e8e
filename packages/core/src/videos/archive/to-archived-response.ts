import type { GatewayResponse } from '../../http/response.ts';
import type { ArchivedVideo } from './video-archive.ts';

/** The response with an archived video: whole, or the one requested range (RFC 9110, 14). */
export function toArchivedResponse(video: ArchivedVideo, range: string | undefined): GatewayResponse {
  const { contentType, bytes } = video;
  const headers = { 'content-type': contentType, 'accept-ranges': 'bytes' };
  const part = range === undefined ? undefined : readRange(range, bytes);
  if (part === 'outside') {
    return {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${bytes}`, 'content-length': '0' },
      body: null,
    };
  }
  const { start, end } = part ?? { start: 0, end: bytes };
  const response = {
    headers: { ...headers, 'content-length': String(end - start) },
    body: video.read(start, end),
  };
  if (part === undefined) return { status: 200, ...response };
  return {
    ...response,
    status: 206,
    headers: { ...response.headers, 'content-range': `bytes ${start}-${end - 1}/${bytes}` },
  };
}

/** One range of bytes, its end not included. Undefined for what need not be understood: several, or another unit. */
function readRange(text: string, bytes: number): { start: number; end: number } | 'outside' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(text.trim()) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return Number(last) === 0 ? 'outside' : { start: Math.max(bytes - Number(last), 0), end: bytes };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  if (Number(first) >= bytes) return 'outside';
  return { start: Number(first), end: last === '' ? bytes : Math.min(Number(last) + 1, bytes) };
}
