/** Requests and results of `/api/v1/svc/wizard` (src/server/README.md, Wizards). */
import { type Static, Type } from '@sinclair/typebox'
import { instant, JsonValue, named, Values, valuesOf } from '../../kernel/schema.ts'
import {
  StepFieldMetadata,
  ValidateRule,
  WizardStep,
  WizardStepKind,
} from '../object/metadata-schema.ts'

const Version = Type.Optional(
  Type.Union([Type.Integer(), Type.Null()], {
    description: 'Of the run as it was loaded: 409 if the run has been continued since',
  }),
)

const given = (description: string) =>
  Type.Optional(Type.Union([Values, Type.Null()], { description }))

const OWN_VALUES = 'By field; of a step with Repeat the list of its rows, under the step’s name'

export const StartRunRequest = named(
  'WizardStartRequest',
  Type.Object(
    { Parameters: given('What fields of these names begin with; nothing else of it is taken') },
    { examples: [{ Parameters: {} }] },
  ),
)
export type StartRunRequest = Static<typeof StartRunRequest>

export const StepFormRequest = named(
  'WizardFormRequest',
  Type.Object(
    {
      Step: Type.String({ description: 'Its name' }),
      Values: given('Those of earlier steps, which the form depends on, and of the step itself'),
    },
    { examples: [{ Step: 'Address', Values: { Kind: 'company', CountryCode: 'DE' } }] },
  ),
)
export type StepFormRequest = Static<typeof StepFormRequest>

export const NextRequest = named(
  'WizardNextRequest',
  Type.Object(
    {
      Step: Type.Optional(
        Type.Union([Type.String(), Type.Null()], {
          description: 'The step that the values are of: 409 where another one asks',
        }),
      ),
      Values: given(OWN_VALUES),
      Version,
    },
    { examples: [{ Values: { Name: 'Harbour Supplies' } }] },
  ),
)
export type NextRequest = Static<typeof NextRequest>

export const FinishRequest = named(
  'WizardFinishRequest',
  Type.Object({ Values: given(OWN_VALUES), Version }, { examples: [{ Values: {} }] }),
)
export type FinishRequest = Static<typeof FinishRequest>

export const BackRequest = named(
  'WizardBackRequest',
  Type.Object(
    {
      Step: Type.Optional(
        Type.Union([Type.String(), Type.Null()], {
          description: 'A step that was taken; else the one before',
        }),
      ),
      Values: given('What is given so far in the step that is left: kept, and not yet validated'),
      Version,
    },
    { examples: [{ Step: 'Kind' }] },
  ),
)
export type BackRequest = Static<typeof BackRequest>

const StepState = named(
  'WizardStepState',
  Type.Union(
    [
      Type.Literal('done'),
      Type.Literal('current'),
      Type.Literal('open'),
      Type.Literal('passedOver'),
    ],
    { description: 'passedOver: by what was given so far it does not come' },
  ),
)

export const Progress = named(
  'WizardProgress',
  Type.Object({
    Index: Type.Integer({ description: 'Of the step that asks, from 1, among those that come' }),
    Count: Type.Integer({ description: 'Steps that come by what was given so far' }),
    IsLast: Type.Boolean({ description: 'Finish follows, as far as can be told' }),
    Steps: Type.Array(
      named(
        'WizardStepProgress',
        Type.Object({ Name: Type.String(), Label: Type.String(), State: StepState }),
      ),
    ),
  }),
)
export type Progress = Static<typeof Progress>

const SummaryField = named(
  'WizardSummaryField',
  Type.Object({
    Name: Type.String(),
    Label: Type.String(),
    Value: JsonValue,
    Text: Type.Union([Type.String(), Type.Null()], {
      description: 'What an option or a record is called that the caller may pick; else null',
    }),
  }),
)

export const SummaryStep = named(
  'WizardSummaryStep',
  Type.Object({
    Step: Type.String(),
    Label: Type.String(),
    Rows: Type.Array(Type.Array(SummaryField), {
      description: 'One form, or each row of a step with Repeat',
    }),
  }),
)
export type SummaryStep = Static<typeof SummaryStep>

export const StepForm = named(
  'WizardStepForm',
  Type.Object({
    Step: Type.String(),
    Label: Type.String(),
    Kind: WizardStepKind,
    Fields: Type.Array(StepFieldMetadata),
    Values: valuesOf(
      'What was given, else defaults; with the label of a reference under its LabelField. ' +
        'Of a List its rows, under the step’s name',
    ),
    Given: valuesOf('Fields of earlier steps: what conditions and options may depend on'),
    Validates: Type.Array(ValidateRule),
    Min: Type.Integer({ description: 'Fewest rows of a List' }),
    Max: Type.Union([Type.Integer(), Type.Null()], { description: 'Most rows of a List' }),
    Summary: Type.Array(SummaryStep),
  }),
)
export type StepForm = Static<typeof StepForm>

export const WizardRunResult = named(
  'WizardRun',
  Type.Object({
    RunId: Type.String(),
    Wizard: Type.String(),
    Label: Type.String(),
    Step: Type.String({ description: 'The name of the step that asks' }),
    Form: StepForm,
    Progress,
    Version: Type.Integer(),
    ExpiresAt: instant('Each step puts it off'),
    Ignored: Type.Array(Type.String(), {
      description: 'Members of Values that were dropped, as they were sent',
    }),
    Notice: Type.Union([Type.String(), Type.Null()], {
      description: 'What has changed since the run was left: another step, lost values',
    }),
  }),
)
export type WizardRunResult = Static<typeof WizardRunResult>

export const RunEntry = named(
  'WizardRunEntry',
  Type.Object({
    RunId: Type.String(),
    Wizard: Type.String(),
    Label: Type.String(),
    Step: Type.String(),
    StepLabel: Type.String(),
    CreatedAt: instant(),
    ChangedAt: instant(),
    ExpiresAt: instant(),
  }),
)
export type RunEntry = Static<typeof RunEntry>

export const WizardStructure = named(
  'WizardStructure',
  Type.Object({
    Name: Type.String(),
    Slug: Type.String(),
    Label: Type.String(),
    VersionHash: Type.String(),
    Steps: Type.Array(WizardStep),
  }),
)
export type WizardStructure = Static<typeof WizardStructure>
