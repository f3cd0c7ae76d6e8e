export { toGuardrail, toWorkspace } from '../../../packages/core/testing/rows.ts';
