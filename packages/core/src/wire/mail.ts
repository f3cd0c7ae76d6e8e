import { z } from 'zod';

const security = z.enum(['starttls', 'tls', 'none']);

/** The SMTP server as it is stored. */
export const storedMailSchema = z.object({
  /** What the password is sealed for: host, port and security. */
  id: z.string(),
  host: z.string(),
  port: z.int(),
  security,
  /** Null: the server asks for no sign-in. */
  user: z.string().nullable(),
  /** An address, or a name and an address in angle brackets. */
  from: z.string(),
  /** The sealed password; null without one. */
  sealed: z.string().nullable(),
});
export type StoredMail = z.infer<typeof storedMailSchema>;

const mailSettingsSchema = z.object({
  /** `config`: the configuration, whose server is shown and changed there alone. Null: no mail is sent. */
  source: z.enum(['config', 'stored']).nullable(),
  /** False where the host stores no secrets, or the configuration has a server. */
  changeable: z.boolean(),
  /** The stored server, which waits while the configuration has one. */
  server: storedMailSchema.omit({ id: true, sealed: true }).extend({ has_password: z.boolean() }).nullable(),
});
export type MailSettings = z.infer<typeof mailSettingsSchema>;

/** The body of `PUT /admin/v1/mail`. Closed. */
export const putMailRequestSchema = z.strictObject({
  host: z
    .string()
    .max(253)
    .regex(/^[^\s/@]+$/, 'must be the name or the address of a server, such as smtp.example.com'),
  port: z.int().min(1).max(65_535).default(587),
  security: security.default('starttls'),
  user: z.string().min(1).max(320).nullable().default(null),
  /** Left out: the present one stays. Null: none. */
  password: z.string().min(1).max(2000).nullable().optional(),
  from: z
    .string()
    .max(400)
    .regex(/^([^<>\r\n]+<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/, 'must be an address, or a name and <an address>'),
});
export type PutMailRequest = z.infer<typeof putMailRequestSchema>;

/** The body of `POST /admin/v1/mail/test`. Closed. */
export const testMailRequestSchema = z.strictObject({ to: z.email('must be an address').max(320) });

export const mailResponseSchema = z.object({ data: mailSettingsSchema });

export const mailTestSchema = z.object({
  data: z.object({
    success: z.boolean(),
    /** In a few words, without addresses and what the server wrote. */
    result: z.string(),
  }),
});
export type MailTest = z.infer<typeof mailTestSchema>;
