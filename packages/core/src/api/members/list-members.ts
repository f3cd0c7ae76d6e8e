import { operation } from '../../http/operation.ts';
import { memberListSchema } from '../../wire/management/member.ts';
import { pageQuerySchema, toPage } from '../../wire/page-query.ts';
import type { MemberParts } from './member-parts.ts';

/** `GET /organization/members` */
export const listMembers = operation<MemberParts>()({
  query: pageQuerySchema,
  response: memberListSchema,
  async run({ parts, query }) {
    return toPage(await parts.members.list(), query);
  },
});
