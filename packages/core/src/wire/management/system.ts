import { z } from 'zod';

/** The response of `GET /health`. `degraded`: some generations could not be recorded recently. */
export const healthSchema = z.object({ status: z.enum(['ok', 'degraded']) });

/** The response of `GET /ready`, unless it is an error. */
export const readinessSchema = z.object({ status: z.literal('ready') });
