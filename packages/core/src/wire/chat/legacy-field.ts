import { z } from 'zod';

/** Makes the schema of a field that older clients send. It is refused, because ignoring it would change the response. */
export const legacyField = (message: string) => z.null({ error: message }).optional();
