import { z } from 'zod';

/** What `GET /health` tells. `degraded`: generations could not be recorded of late. */
export const healthSchema = z.object({ status: z.enum(['ok', 'degraded']) });

/** What `GET /ready` tells, while it tells anything but an error. */
export const readinessSchema = z.object({ status: z.literal('ready') });
