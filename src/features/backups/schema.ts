/** Answers of `/api/v1/svc/backups`. */
import { Type } from '@sinclair/typebox'
import { instant, named, orNull } from '../../kernel/schema.ts'
import { NAME_PATTERN } from '../../engine/backups/names.ts'

const Rehearsal = named(
  'BackupRehearsal',
  Type.Object({
    At: instant('When it ended'),
    Ok: Type.Boolean({ description: 'Pages, references, rows, files and audit log are whole' }),
    Seconds: Type.Number(),
    Error: orNull(Type.String({ description: 'What was wrong' })),
  }),
)

const Backup = named(
  'Backup',
  Type.Object({
    Name: Type.String({
      description: 'One that was made before an upgrade begins with `before-upgrade-`',
      examples: ['backup-20261128T140000Z.tar.zst'],
    }),
    CreatedAt: instant('The state of the data that it holds'),
    Bytes: Type.Integer({ description: 'Of the file' }),
    Encrypted: Type.Boolean(),
    Engine: orNull(Type.String({ description: 'The version that made it', examples: ['0.1.0'] })),
    Files: orNull(Type.Integer({ description: 'That it holds' })),
    ContentBytes: orNull(Type.Integer({ description: 'Of these files' })),
    Rehearsal: orNull(Rehearsal),
  }),
)

export const BackupList = Type.Array(Backup, { description: 'The newest first' })

export const BackupStarted = named(
  'BackupStarted',
  Type.Object({ JobId: Type.Integer({ description: 'The job that makes it' }) }),
)

export const BackupRemoved = named('BackupRemoved', Type.Object({ Name: Type.String() }))

export const byName = Type.Object({
  name: Type.String({
    pattern: NAME_PATTERN,
    description: 'Its Name',
    examples: ['backup-20261128T140000Z.tar.zst'],
  }),
})
