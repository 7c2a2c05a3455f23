/** The report of a deploy, on the wire and as `appengine deploy --json` prints it. */
import { type Static, Type } from '@sinclair/typebox'
import { instant, named, oneOf, orNull } from '../../kernel/schema.ts'
import { SCRIPT_TYPES } from '../compiled/script.ts'

const Names = Type.Array(
  named(
    'ScriptName',
    Type.Object({ Type: oneOf(SCRIPT_TYPES), Name: Type.String(), FileName: Type.String() }),
  ),
)
/** Faults of a model, each with its place. */
export const ModelFaults = Type.Array(
  named(
    'ModelFault',
    Type.Object({
      File: Type.String(),
      Line: Type.Integer(),
      Column: Type.Integer(),
      Message: Type.String(),
    }),
  ),
)

/** The result of a deploy as `appengine deploy --json` prints it. */
export const DeployResult = named(
  'DeployResult',
  Type.Object({
    Deployed: Type.Boolean(),
    New: Names,
    Changed: Names,
    Removed: Names,
    Same: Names,
    Kept: Type.Array(
      named(
        'KeptScript',
        Type.Object({
          Type: oneOf(SCRIPT_TYPES),
          Name: Type.String(),
          FileName: Type.String(),
          FileChanged: Type.Boolean(),
          Diff: Type.Array(Type.String()),
        }),
      ),
      { description: 'Kept because they were changed here since their last deploy' },
    ),
    Merged: Type.Array(
      named(
        'MergedScript',
        Type.Object({
          Type: oneOf(SCRIPT_TYPES),
          Name: Type.String(),
          FileName: Type.String(),
          FromHere: Type.Array(Type.String()),
          FromFile: Type.Array(Type.String()),
        }),
      ),
      { description: 'Rbac that was changed here: which changes stay, and which the files bring' },
    ),
    Steps: Type.Array(Type.String()),
    Losses: Type.Array(Type.String()),
    Outdated: Type.Array(Type.String(), {
      description: 'Open workflow instances and wizard runs that no longer fit the model',
    }),
    Warnings: ModelFaults,
    Faults: ModelFaults,
    RecordsWritten: Type.Integer(),
    Rollback: Type.Optional(
      named(
        'RolledBackDeploy',
        Type.Object(
          {
            DeployedAt: instant(),
            RolledBackAt: orNull(
              instant('Set where it was rolled back before: nothing is changed'),
            ),
          },
          { description: 'The deploy that is rolled back' },
        ),
      ),
    ),
  }),
)
export type DeployResult = Static<typeof DeployResult>
