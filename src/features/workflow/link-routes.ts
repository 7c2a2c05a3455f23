/** Actions from a mail: `/api/v1/svc/workflow/link`. A link's holder counts as its receiver. */
import { Type } from '@sinclair/typebox'
import { instant, named, orNull } from '../../kernel/schema.ts'
import { describeLink, useLink } from '../../engine/workflow/mail-links.ts'
import { labelOfState } from '../../engine/workflow/state-label.ts'
import { OPEN } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'

const Token = Type.String({
  maxLength: 200,
  description: '`token` of the link',
  examples: ['q3Zx0eWqXo2u9Yw1b5T7rK4nLh8sVdZpGfAiEtUyQxM'],
})

const LinkRequest = named(
  'TaskLinkRequest',
  Type.Object({ Token }, { examples: [{ Token: Token['examples'][0] }] }),
)

const UseRequest = named(
  'TaskLinkUseRequest',
  Type.Object(
    {
      Token,
      Comment: Type.Optional(
        Type.Union([Type.String(), Type.Null()], { description: 'Said with it' }),
      ),
    },
    { examples: [{ Token: Token['examples'][0], Comment: 'Fine' }] },
  ),
)

const Described = named(
  'TaskLink',
  Type.Object({
    Workflow: Type.String({ description: 'What people call it' }),
    State: Type.String({ description: 'In which it waits' }),
    Action: Type.String({ description: 'What the link does' }),
    Label: Type.String({ description: 'The same, as people read it' }),
    Title: Type.String({ description: 'What the record is called' }),
    Object: Type.String({ description: 'The view of the record' }),
    DueAt: orNull(instant()),
    ExpiresAt: instant(),
    DisplayName: Type.String({ description: 'Whose word it is' }),
  }),
)

const Used = named(
  'TaskLinkResult',
  Type.Object({
    State: Type.String({ description: 'Where the instance is now' }),
    StateLabel: Type.String({ description: 'What people read' }),
  }),
)

const DESCRIBE = {
  body: LinkRequest,
  response: Envelope(Described),
  detail: {
    'x-gate': OPEN,
    operationId: 'describeTaskLink',
    summary: 'What a link of a mail would do',
    description:
      'Reading a link does nothing. 404 for a link that was used, whose task is done or that ' +
      'never ' +
      'was. Gate: none; the link is its user’s.',
  },
}

const USE = {
  body: UseRequest,
  response: Envelope(Used),
  detail: {
    'x-gate': OPEN,
    operationId: 'useTaskLink',
    summary: 'Take the action of a link of a mail',
    description:
      'Once, as the user whom the mail went to, by the rights that they have now. Gate: none.',
  },
}

/** Each declares its gate. */
export const LINKS: RouteGroup = {
  prefix: '/api/v1/svc/workflow',
  area: 'Workflows',
  routes: [
    route('POST', '/link/describe', DESCRIBE, async ({ app, body, language }) =>
      ok(await describeLink(app, body.Token, language)),
    ),
    route('POST', '/link/use', USE, async ({ app, body, language, traceId }) => {
      const used = { token: body.Token, comment: body.Comment ?? undefined, traceId }
      return ok(
        await useLink(app, used, (_, { instance, workflow }) =>
          Promise.resolve({
            State: instance.State,
            StateLabel: labelOfState(workflow, instance.State, language),
          }),
        ),
      )
    }),
  ],
}
