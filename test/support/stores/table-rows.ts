export { toGuardrail, toWorkspace } from '../../../packages/core/src/testing/rows.ts';
