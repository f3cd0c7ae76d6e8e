export { toVideoJob } from '../../../packages/core/testing/rows.ts';
