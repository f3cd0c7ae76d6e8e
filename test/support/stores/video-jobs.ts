export { toVideoJob } from '../../../packages/core/src/testing/rows.ts';
