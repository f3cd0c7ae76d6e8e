import { z } from 'zod';

const isHttpUrl = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '';
};

/** An address as an operator writes it. */
export const httpUrlSchema = z
  .string()
  .refine(isHttpUrl, { message: 'must be an http or https address, e.g. "https://host/v1"', abort: true })
  // An address appears in logs and error messages, so it must not contain a secret.
  .refine((text) => URL.parse(text)?.username === '' && URL.parse(text)?.password === '', {
    message: 'must not hold a user name or password: those belong in apiKey or headers',
  });

/** An address that paths are added to. */
export const baseUrlSchema = httpUrlSchema.refine((text) => !/[?#]/.test(text), 'must not hold a query or fragment');
