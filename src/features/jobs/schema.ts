/** Bodies and answers of `/api/v1/hangfire` (src/server/README.md, Gates). */
import { Type } from '@sinclair/typebox'
import {
  digits,
  idDigits,
  instant,
  JsonValue,
  named,
  oneOf,
  orNull,
  Values,
} from '../../kernel/schema.ts'
import { JOB_STATE_NAMES, type JobState } from '../../store/tables/jobs.ts'

export const State = named(
  'JobState',
  Type.Unsafe<JobState>(Type.Union(JOB_STATE_NAMES.map((state) => Type.Literal(state)))),
)

/** Names of job states, as stored. */
const StateName = named('JobState', oneOf(JOB_STATE_NAMES))

export const Statistics = named(
  'JobStatistics',
  Type.Record(Type.String(), Type.Integer(), {
    description: 'Jobs by their state; 100,000 says that there are so many or more',
    examples: [Object.fromEntries(JOB_STATE_NAMES.map((state) => [state, 0]))],
  }),
)

export const JobsQuery = Type.Object({
  state: Type.Optional(State),
  queue: Type.Optional(Type.String({ maxLength: 64 })),
  name: Type.Optional(Type.String({ maxLength: 200 })),
  page: Type.Optional(
    digits('From 1 on', { pattern: '^[1-9][0-9]{0,4}$', minimum: 1, default: 1 }),
  ),
})

const Progress = named(
  'JobProgress',
  Type.Object({
    Done: Type.Number(),
    Total: orNull(Type.Number()),
    Message: orNull(Type.String()),
  }),
)

const Entry = {
  Id: Type.Integer(),
  Name: Type.String(),
  State,
  Queue: Type.String(),
  Priority: Type.Integer({ description: 'Within its queue: higher ones go first' }),
  RunsAs: named(
    'JobIdentity',
    Type.Object(
      { UserId: orNull(Type.Integer()), CompanyId: orNull(Type.Integer()) },
      { description: 'Whose rights it has when it runs; no user: it is the engine’s own work' },
    ),
  ),
  Source: Type.String({ description: 'The view or the reason through which it was asked for' }),
  CreatedAt: instant(),
  DueAt: orNull(instant('Of a scheduled one')),
  StartedAt: orNull(instant()),
  FinishedAt: orNull(instant()),
  Attempts: Type.Integer(),
  AttemptsMax: Type.Integer(),
  Progress: orNull(Progress),
  Error: orNull(Type.String({ description: 'Why its latest run failed' })),
}

const JobEntry = named('Job', Type.Object(Entry))

export const JobPage = named(
  'JobPage',
  Type.Object({
    Jobs: Type.Array(JobEntry, { description: 'The newest first, 50 a page' }),
    Page: Type.Integer(),
    HasNext: Type.Boolean(),
  }),
)

export const JobDescription = named(
  'JobDescription',
  Type.Object({
    ...Entry,
    Arguments: orNull(Values),
    Result: { ...JsonValue, description: 'What its run gave; null for another Admin' },
    Log: Type.Array(Type.String(), { description: 'Lines of its runs; the oldest go first' }),
    History: Type.Array(
      named(
        'JobHistoryEntry',
        Type.Object({
          State: StateName,
          At: instant(),
          Reason: Type.Optional(Type.String()),
        }),
      ),
    ),
    ExclusiveKey: orNull(
      Type.String({ description: 'Of several with one key, one runs at a time' }),
    ),
    AfterId: orNull(Type.Integer({ description: 'The job that it awaits' })),
    BatchId: orNull(Type.String()),
    AfterBatch: orNull(Type.String({ description: 'The batch that it awaits' })),
    Recurring: orNull(Type.String({ description: 'The recurring job that it is a run of' })),
    Server: orNull(Type.String({ description: 'The process that ran it last' })),
  }),
)

export const RequeueRequest = named(
  'JobRequeueRequest',
  Type.Object({
    Arguments: Type.Optional(
      Type.Union([Values, Type.Null()], { description: 'In place of those that it has' }),
    ),
  }),
)

export const Servers = Type.Array(
  named(
    'JobServer',
    Type.Object({
      Name: Type.String(),
      StartedAt: instant(),
      LastHeartbeat: orNull(instant('When it last looked for jobs; null before the first time')),
      Workers: Type.Integer({ description: 'Jobs that it runs at the same time' }),
      Running: Type.Integer(),
      Queues: Type.Array(Type.String(), { description: 'The first before the others' }),
    }),
  ),
)

export const byId = Type.Object({
  id: idDigits('Its Id', 1),
})

export const RecurringEntry = named(
  'RecurringJob',
  Type.Object({
    Name: Type.String({ description: 'One of its kind; with @ and a company where it is of one' }),
    Job: Type.String({ description: 'The name of its jobs' }),
    Cron: Type.String({
      description: 'Minute, hour, day of the month, month, day of the week',
      examples: ['0 6 * * 1'],
    }),
    TimeZone: Type.String({ description: 'IANA name of the zone that it is in' }),
    Missed: Type.Union(
      [Type.Literal('Relaxed'), Type.Literal('Strict'), Type.Literal('Ignorable')],
      {
        description:
          'Of runs that were missed while the server stood still, Relaxed makes one, Strict each ' +
          'of the latest 100, Ignorable none',
      },
    ),
    CompanyId: orNull(Type.Integer({ description: 'Null: of the whole engine' })),
    Paused: Type.Boolean(),
    NextRun: orNull(instant('Null where none comes')),
    LastRun: orNull(instant('When its latest run was due or asked for')),
    LastState: orNull({ ...StateName, description: 'Of the job of that run; null once forgotten' }),
    LastJobId: orNull(Type.Integer()),
  }),
)

export const RecurringList = Type.Array(RecurringEntry)

export const byName = Type.Object({
  name: Type.String({ maxLength: 300, description: 'Its Name', examples: ['CloseYear'] }),
})
