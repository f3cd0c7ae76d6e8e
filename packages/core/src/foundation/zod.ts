/*
 * The part of zod that our packages use, `@model-gateway/core/foundation/zod`. A published package has what it needs of
 * zod in its chunks; those that read schemas take it from here, so that a process has one copy and not three.
 */
export {
  array,
  base64,
  boolean,
  custom,
  discriminatedUnion,
  email,
  enum,
  instanceof,
  int,
  iso,
  literal,
  looseObject,
  NEVER,
  number,
  object,
  prettifyError,
  record,
  safeParse,
  strictObject,
  string,
  toJSONSchema,
  union,
  unknown,
  ZodDefault,
  ZodDiscriminatedUnion,
  ZodArray,
  ZodNullable,
  ZodObject,
  ZodOptional,
  ZodPrefault,
  ZodType,
} from 'zod';
export type * from 'zod';
