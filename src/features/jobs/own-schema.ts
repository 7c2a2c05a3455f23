/** The list of a user's own jobs (src/server/README.md, Own jobs). */
import { type Static, Type } from '@sinclair/typebox'
import { formatted, idDigits, instant, named, oneOf, orNull } from '../../kernel/schema.ts'
import { OWN_KINDS } from '../../engine/jobs/job.ts'
import { OWN_JOBS_MAX } from '../../engine/jobs/own-jobs.ts'
import { State } from './schema.ts'

const OwnJobFile = named(
  'OwnJobFile',
  Type.Object({
    FileName: Type.String({ examples: ['Orders.xlsx'] }),
    Url: formatted('uri-reference'),
    Size: Type.Integer({ description: 'Bytes' }),
  }),
)

const OwnJobResult = named(
  'OwnJobResult',
  Type.Object({
    File: orNull(OwnJobFile),
    IsExpired: Type.Boolean({ description: 'It had a file that is kept no longer' }),
    Rows: orNull(Type.Integer()),
    Written: orNull(Type.Integer()),
    Failed: orNull(Type.Integer()),
    ImportId: orNull(Type.String()),
  }),
)

/** A job as its user sees it. */
export const OwnJob = named(
  'OwnJob',
  Type.Object(
    {
      Id: Type.Integer(),
      Kind: oneOf(OWN_KINDS),
      Label: Type.String({ description: 'What it is about' }),
      Object: orNull(Type.String({ description: 'Slug of its view' })),
      State,
      Progress: orNull(
        named('OwnJobProgress', Type.Object({ Done: Type.Number(), Total: orNull(Type.Number()) })),
      ),
      At: instant(),
      EndedAt: orNull(instant()),
      Error: orNull(Type.String()),
      Result: orNull(OwnJobResult),
    },
    {
      examples: [
        {
          Id: 41,
          Kind: 'export',
          Label: 'Orders',
          Object: 'orders',
          State: 'Processing',
          Progress: { Done: 20_000, Total: 1_000_000 },
          At: '2026-11-29T09:30:00Z',
          EndedAt: null,
          Error: null,
          Result: null,
        },
      ],
    },
  ),
)
export type OwnJob = Static<typeof OwnJob>

export const OwnJobs = Type.Array(OwnJob, { maxItems: OWN_JOBS_MAX })

export const byOwnId = Type.Object({ id: idDigits('Its Id', 1) })
