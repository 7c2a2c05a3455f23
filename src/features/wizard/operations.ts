/** The routes of wizards with their gates and schemas, and their text in the document. */
import { Type } from '@sinclair/typebox'
import { ObjectActionResult } from '../../engine/object/schema.ts'
import {
  BackRequest,
  FinishRequest,
  NextRequest,
  RunEntry,
  StartRunRequest,
  StepForm,
  StepFormRequest,
  WizardRunResult,
  WizardStructure,
} from '../../engine/wizard/schema.ts'
import { AUTHENTICATED, namedGate } from '../../server/gate.ts'
import { IDEMPOTENT } from '../../server/idempotent-response.ts'
import { TAGGED } from '../../server/reply.ts'
import { SAFE } from '../../server/route-table.ts'
import { Envelope } from '../../server/schema.ts'
import { runOf, wizardOf } from './wizard-gate.ts'

const byName = Type.Object({
  name: Type.String({ description: 'Name or slug of the wizard', examples: ['new-customer'] }),
})

const byId = Type.Object({
  id: Type.String({ description: 'RunId of its start', examples: ['q3gV8x1b2Yk0Zs5w7uTnLA'] }),
})

const WIZARD = namedGate('Create on the resource of the wizard', 'path', wizardOf)

const RUN = namedGate('one’s own run, and Create on the resource of its wizard', 'path', runOf)

const CREATE = 'Gate: Create on the wizard’s Resource.'

const OWN = 'Another’s run is 404. Gate: Create on the wizard’s Resource, checked at each request.'

export const GET_WIZARD = {
  params: byName,
  response: Envelope(WizardStructure),
  detail: {
    ...TAGGED,
    'x-gate': AUTHENTICATED,
    operationId: 'getWizard',
    summary: 'The structure of a wizard',
    description:
      'Its steps with their fields, the same for every caller and without any SQL. Carries an ' +
      'ETag; `If-None-Match` is answered with 304. Gate: authentication.',
  },
}

export const START = {
  params: byName,
  body: StartRunRequest,
  response: Envelope(WizardRunResult),
  detail: {
    ...IDEMPOTENT,
    'x-gate': WIZARD,
    operationId: 'startWizard',
    summary: 'Begin a run',
    description:
      'The server keeps it, so that it can be continued on any device until it expires ' +
      `(\`Svc:Wizards:Lifetime\` after its latest step). ${CREATE}`,
  },
}

export const LOAD_STEP_FORM = {
  params: byName,
  body: StepFormRequest,
  response: Envelope(StepForm),
  detail: {
    ...SAFE,
    'x-gate': WIZARD,
    operationId: 'loadWizardForm',
    summary: 'The form of one step, by values that come with the request',
    description: `No run is read or changed. ${CREATE}`,
  },
}

export const LIST_RUNS = {
  response: Envelope(Type.Array(RunEntry)),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'listWizardRuns',
    summary: 'One’s own runs, to go on where one was',
    description:
      'The latest first, 200 at most, of wizards that the caller may go through. ' +
      'Gate: authentication.',
  },
}

export const GET_RUN = {
  params: byId,
  response: Envelope(WizardRunResult),
  detail: {
    'x-gate': RUN,
    operationId: 'getWizardRun',
    summary: 'A run where it was left',
    description:
      'After a deploy it continues with the steps and values that still fit, and `Notice` says ' +
      `what is otherwise. ${OWN}`,
  },
}

export const DELETE_RUN = {
  params: byId,
  response: Envelope(Type.Boolean()),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'deleteWizardRun',
    summary: 'End a run without its finish',
    description: 'With the uploads that wait for it. Gate: authentication; another’s run is 404.',
  },
}

export const NEXT = {
  params: byId,
  body: NextRequest,
  response: Envelope(WizardRunResult),
  detail: {
    ...IDEMPOTENT,
    'x-gate': RUN,
    operationId: 'nextWizardStep',
    summary: 'Give a step’s values and go on',
    description:
      'They are validated as a form’s, with `fieldErrors`; of a row of a list as ' +
      `\`Lines[0].Quantity\`. Where no step follows the run stays, with \`IsLast\`. ${OWN}`,
  },
}

export const BACK = {
  params: byId,
  body: BackRequest,
  response: Envelope(WizardRunResult),
  detail: {
    ...IDEMPOTENT,
    'x-gate': RUN,
    operationId: 'previousWizardStep',
    summary: 'Go back, and lose nothing',
    description: `To the step before, or to the one that Step names. ${OWN}`,
  },
}

export const FINISH = {
  params: byId,
  body: FinishRequest,
  response: Envelope(ObjectActionResult),
  detail: {
    ...IDEMPOTENT,
    'x-gate': RUN,
    operationId: 'finishWizard',
    summary: 'Give the last step’s values and end the run',
    description:
      'All steps are validated once more, by the rights, lookups and rules of now; the effects ' +
      'of the Finish and the end of the run are one transaction. A refusal names its step as ' +
      '`step`. `Keys` is the first record of the wizard’s Entity that was made. Values that are ' +
      `left out are those that the step was given before. ${OWN}`,
  },
}
