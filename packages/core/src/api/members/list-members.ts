import { operation } from '../../http/operation.ts';
import { pageQuerySchema, toPage } from '../../wire/fields.ts';
import { memberListSchema } from '../../wire/keys.ts';
import type { MemberParts } from './member-parts.ts';

/** `GET /organization/members` */
export const listMembers = operation<MemberParts>()({
  query: pageQuerySchema,
  response: memberListSchema,
  async run({ parts, query }) {
    return toPage(await parts.members.list(), query);
  },
});
