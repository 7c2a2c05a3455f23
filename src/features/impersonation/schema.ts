/** Bodies of `/api/v1/impersonation` (src/server/README.md, Identity). */
import { type Static, Type } from '@sinclair/typebox'
import { named } from '../../kernel/schema.ts'

/** Characters of a reason; the audit log has it. */
const REASON_MAX = 500

export const StartImpersonationRequest = named(
  'ImpersonationRequest',
  Type.Object(
    {
      UserId: Type.Integer({ description: 'Whom to act as; never a System user, never oneself' }),
      Reason: Type.String({ maxLength: REASON_MAX, description: 'What for; audited' }),
      Minutes: Type.Integer({
        minimum: 1,
        description: 'When it ends at the latest; at most Svc:Impersonation:MaxTime',
      }),
    },
    { examples: [{ UserId: 3, Reason: 'Order 4711 looks wrong to him', Minutes: 15 }] },
  ),
)
export type StartImpersonationRequest = Static<typeof StartImpersonationRequest>
