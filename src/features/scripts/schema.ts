/** Bodies and answers of the model catalog (src/server/README.md, Model catalog). */
import { type Static, Type } from '@sinclair/typebox'
import { instant, longText, named, oneOf, orNull } from '../../kernel/schema.ts'
import { SCRIPT_TYPES } from '../../model/compiled/script.ts'
import { DeployResult, ModelFaults } from '../../model/deploy/schema.ts'
import { ViewType } from '../../engine/object/metadata-schema.ts'
import { refusalWith } from '../../server/schema.ts'

export const ObjectDescriptor = named(
  'ObjectDescriptor',
  Type.Object({
    Name: Type.String(),
    Slug: Type.String(),
    Label: Type.String({ description: 'In the caller’s language' }),
    ViewType,
    VersionHash: Type.String({ description: 'MD5 of the deployed body' }),
  }),
)

export const ScriptsQuery = Type.Object({
  type: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'ObjectView, Entity, Navbar, StoredProcedure or Rbac; also Report, Workflow, Rows or ' +
        'Texts, which are included only on request',
    }),
  ),
})
export type ScriptsQuery = Static<typeof ScriptsQuery>

export const ScriptEntry = named(
  'Script',
  Type.Object({
    Type: oneOf(SCRIPT_TYPES),
    Name: Type.String(),
    FileName: Type.String(),
    VersionHash: Type.String({ description: 'MD5 of the body' }),
    ExecutedAt: instant(),
    Origin: Type.String({
      description: 'deploy, or what changed it here: board, designer, import',
    }),
    ExecutedBy: orNull(
      named(
        'ScriptAuthor',
        Type.Object(
          { Id: Type.Integer(), UserName: Type.String() },
          { description: 'Null for the command line' },
        ),
      ),
    ),
    IsCurrent: Type.Boolean({ description: 'False when it has been removed from the model since' }),
  }),
)
export type ScriptEntry = Static<typeof ScriptEntry>

export const ScriptBody = named(
  'ScriptWithBody',
  Type.Object({
    ...ScriptEntry.properties,
    Body: Type.String({ description: 'As it was authored, to the byte' }),
  }),
)

export const FILES_MAX = 2000
export const FILE_NAME_CHARACTERS_MAX = 300

const flag = (description: string) =>
  Type.Optional(Type.Union([Type.Boolean(), Type.Null()], { description }))

export const DeployRequest = named(
  'DeployRequest',
  Type.Object({
    Files: Type.Optional(
      Type.Array(
        named(
          'ScriptFile',
          Type.Object({
            FileName: Type.String({ maxLength: FILE_NAME_CHARACTERS_MAX }),
            Body: longText({ description: 'The XML, verbatim' }),
          }),
        ),
        { maxItems: FILES_MAX },
      ),
    ),
    DryRun: flag('Gives the plan and changes nothing'),
    AllowDataLoss: flag('Allows the listed losses'),
    Prune: flag('Removes what the files do not hold'),
    Overwrite: flag('Replaces what was changed here since its last deploy'),
    Rollback: flag('Rolls the last deploy back; without Files and Prune'),
  }),
)
export type DeployRequest = Static<typeof DeployRequest>

/** The 400 of a model with faults, and of one that would lose data. */
export const DeployRefusal = refusalWith('DeployRefusalEnvelope', {
  faults: Type.Optional(ModelFaults),
  losses: Type.Optional(Type.Array(Type.String())),
  plan: Type.Optional(DeployResult),
})
