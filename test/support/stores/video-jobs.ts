export { toVideoJob } from '../../../packages/core/src/testing/rows/video-jobs.ts';
