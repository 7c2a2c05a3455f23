/** What the model catalog takes and answers (src/server/README.md, Model catalog). */
import { Type } from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import { orNull } from '../../kernel/schema.ts'

export const ObjectList = Type.Array(
  Type.Object({
    Name: Type.String(),
    Slug: Type.String(),
    Label: Type.String({ description: 'In the caller’s language' }),
    ViewType: Type.String(),
    VersionHash: Type.String({ description: 'MD5 of the deployed body' }),
  }),
)

export const ScriptsQuery = Type.Object({
  type: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'ObjectView, Entity, Navbar, StoredProcedure or Rbac; also Report, Workflow, Rows or ' +
        'Texts, which are told only when they are asked for',
    }),
  ),
})
export type ScriptsQuery = Static<typeof ScriptsQuery>

export const ScriptEntry = Type.Object({
  Type: Type.String(),
  Name: Type.String(),
  FileName: Type.String(),
  VersionHash: Type.String({ description: 'MD5 of the body' }),
  ExecutedAt: Type.String({ description: 'UTC' }),
  Origin: Type.String({ description: 'deploy, or what changed it here: board, designer, import' }),
  ExecutedBy: orNull(
    Type.Object(
      { Id: Type.Integer(), UserName: Type.String() },
      { description: 'Null for the command line' },
    ),
  ),
  IsCurrent: Type.Boolean({ description: 'False when it has gone out of the model since' }),
})
export type ScriptEntry = Static<typeof ScriptEntry>

export const ScriptBody = Type.Intersect([
  ScriptEntry,
  Type.Object({ Body: Type.String({ description: 'As it was authored, to the byte' }) }),
])

export const FILES_MAX = 2000
export const FILE_NAME_CHARACTERS_MAX = 300

const flag = (description: string) =>
  Type.Optional(Type.Union([Type.Boolean(), Type.Null()], { description }))

export const DeployRequest = Type.Object({
  Files: Type.Optional(
    Type.Array(
      Type.Object({
        FileName: Type.String({ maxLength: FILE_NAME_CHARACTERS_MAX }),
        Body: Type.String({ description: 'The XML, verbatim' }),
      }),
      { maxItems: FILES_MAX },
    ),
  ),
  DryRun: flag('Gives the plan and changes nothing'),
  AllowDataLoss: flag('Lets the listed losses happen'),
  Prune: flag('Removes what the files do not hold'),
  Overwrite: flag('Replaces what was changed here since its last deploy'),
})
export type DeployRequest = Static<typeof DeployRequest>

const Names = Type.Array(
  Type.Object({ Type: Type.String(), Name: Type.String(), FileName: Type.String() }),
)
const Faults = Type.Array(
  Type.Object({
    File: Type.String(),
    Line: Type.Integer(),
    Column: Type.Integer(),
    Message: Type.String(),
  }),
)

/** As `appengine deploy --json` prints it. */
export const DeployResult = Type.Object({
  Deployed: Type.Boolean(),
  New: Names,
  Changed: Names,
  Removed: Names,
  Same: Names,
  Kept: Type.Array(
    Type.Object({
      Type: Type.String(),
      Name: Type.String(),
      FileName: Type.String(),
      FileChanged: Type.Boolean(),
      Diff: Type.Array(Type.String()),
    }),
    { description: 'Kept as they were changed here since their last deploy' },
  ),
  Merged: Type.Array(
    Type.Object({
      Type: Type.String(),
      Name: Type.String(),
      FileName: Type.String(),
      FromHere: Type.Array(Type.String()),
      FromFile: Type.Array(Type.String()),
    }),
    { description: 'Rbac that was changed here: what of that stays, and what the files bring' },
  ),
  Steps: Type.Array(Type.String()),
  Losses: Type.Array(Type.String()),
  Warnings: Faults,
  Faults,
  RecordsWritten: Type.Integer(),
})
export type DeployResult = Static<typeof DeployResult>
