/** Requests and results of `/api/v1/svc/wizard` (src/server/README.md, Wizards). */
import { Type, type Static } from '@sinclair/typebox'

const Loose = Type.Record(Type.String(), Type.Unknown())

const Version = Type.Optional(
  Type.Union([Type.Integer(), Type.Null()], {
    description: 'Of the run as it was loaded: 409 where it was gone on with since',
  }),
)

const Values = (description: string) =>
  Type.Optional(Type.Union([Loose, Type.Null()], { description }))

const OWN_VALUES = 'By field; of a step with Repeat the list of its rows, under the step’s name'

export const StartRequest = Type.Object(
  { Parameters: Values('What fields of these names begin with; nothing else of it is taken') },
  { examples: [{ Parameters: {} }] },
)
export type StartRequest = Static<typeof StartRequest>

export const StepFormRequest = Type.Object(
  {
    Step: Type.String({ description: 'Its name' }),
    Values: Values('Those of earlier steps, which the form depends on, and of the step itself'),
  },
  { examples: [{ Step: 'Address', Values: { Kind: 'company', CountryCode: 'DE' } }] },
)
export type StepFormRequest = Static<typeof StepFormRequest>

export const NextRequest = Type.Object(
  {
    Step: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'The step that the values are of: 409 where another one asks',
      }),
    ),
    Values: Values(OWN_VALUES),
    Version,
  },
  { examples: [{ Values: { Name: 'Harbour Supplies' } }] },
)
export type NextRequest = Static<typeof NextRequest>

export const FinishRequest = Type.Object(
  { Values: Values(OWN_VALUES), Version },
  { examples: [{ Values: {} }] },
)
export type FinishRequest = Static<typeof FinishRequest>

export const BackRequest = Type.Object(
  {
    Step: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'A step that was taken; else the one before',
      }),
    ),
    Values: Values('What is given so far in the step that is left: kept, and not yet validated'),
    Version,
  },
  { examples: [{ Step: 'Kind' }] },
)
export type BackRequest = Static<typeof BackRequest>

const StepState = Type.Union(
  [Type.Literal('done'), Type.Literal('current'), Type.Literal('open'), Type.Literal('passedOver')],
  { description: 'passedOver: by what was given so far it does not come' },
)

export const Progress = Type.Object({
  Index: Type.Integer({ description: 'Of the step that asks, from 1, among those that come' }),
  Count: Type.Integer({ description: 'Steps that come by what was given so far' }),
  IsLast: Type.Boolean({ description: 'Finish follows, as far as can be told' }),
  Steps: Type.Array(Type.Object({ Name: Type.String(), Label: Type.String(), State: StepState })),
})
export type Progress = Static<typeof Progress>

const SummaryField = Type.Object({
  Name: Type.String(),
  Label: Type.String(),
  Value: Type.Unknown(),
  Text: Type.Union([Type.String(), Type.Null()], {
    description: 'What an option or a record is called that the caller may pick; else null',
  }),
})

export const SummaryStep = Type.Object({
  Step: Type.String(),
  Label: Type.String(),
  Rows: Type.Array(Type.Array(SummaryField), {
    description: 'One form, or each row of a step with Repeat',
  }),
})
export type SummaryStep = Static<typeof SummaryStep>

export const StepForm = Type.Object({
  Step: Type.String(),
  Label: Type.String(),
  Kind: Type.String({ description: 'Fields, List (rows of Fields), Query or Summary' }),
  Fields: Type.Array(Loose, {
    description: 'As the parameters of row actions in the metadata, with ReadOnly and LabelField',
  }),
  Values: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'What was given, else defaults; with the label of a reference under its LabelField. ' +
      'Of a List its rows, under the step’s name',
  }),
  Given: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Fields of earlier steps: what conditions and options may depend on',
  }),
  Validates: Type.Array(Loose),
  Min: Type.Integer({ description: 'Fewest rows of a List' }),
  Max: Type.Union([Type.Integer(), Type.Null()], { description: 'Most rows of a List' }),
  Summary: Type.Array(SummaryStep),
})
export type StepForm = Static<typeof StepForm>

export const WizardRunResult = Type.Object({
  RunId: Type.String(),
  Wizard: Type.String(),
  Label: Type.String(),
  Step: Type.String({ description: 'The name of the step that asks' }),
  Form: StepForm,
  Progress,
  Version: Type.Integer(),
  ExpiresAt: Type.String({ description: 'Each step puts it off' }),
  Ignored: Type.Array(Type.String(), {
    description: 'Members of Values that were dropped, as they were sent',
  }),
  Notice: Type.Union([Type.String(), Type.Null()], {
    description: 'What is otherwise since the run was left: another step, values that are gone',
  }),
})
export type WizardRunResult = Static<typeof WizardRunResult>

export const RunEntry = Type.Object({
  RunId: Type.String(),
  Wizard: Type.String(),
  Label: Type.String(),
  Step: Type.String(),
  StepLabel: Type.String(),
  CreatedAt: Type.String(),
  ChangedAt: Type.String(),
  ExpiresAt: Type.String(),
})
export type RunEntry = Static<typeof RunEntry>

export const WizardStructure = Type.Object({
  Name: Type.String(),
  Slug: Type.String(),
  Label: Type.String(),
  VersionHash: Type.String(),
  Steps: Type.Array(Loose, {
    description: 'Name, Label, Kind, IsConditional, Fields, Validates, Min, Max',
  }),
})
export type WizardStructure = Static<typeof WizardStructure>
