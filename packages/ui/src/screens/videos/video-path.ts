/** Where the bytes of a finished video are. */
export const toVideoPath = (jobId: string, index: number): string => `/api/v1/videos/${jobId}/content?index=${index}`;
